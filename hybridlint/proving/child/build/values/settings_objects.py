"""Settings objects as constructor arguments: their fields, and expressions that build them."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from typing import Any

from hybridlint.proving.child.build.values import guesses
from hybridlint.proving.child.build.values.choices import Suggestions
from hybridlint.proving.child.build.values.fields import Fields
from hybridlint.proving.child.build.values.project_classes import ProjectClasses
from hybridlint.proving.child.build.values.written_settings import written_settings

#: The value that represents a settings object; its expression is written from the values of its fields.
OBJECT = "<settings>"
_CALLED = ("nn.BatchNorm", "nn.Dense(4)")


class SettingsObject:
    """A settings object for a constructor argument; `fields` maps dotted field names to candidate expressions.

    It is an instance of `maker`, a class of the package. If `maker` is None, it is a SimpleNamespace or a dictionary.
    `written` has the values that the module writes down.
    """

    def __init__(
        self, name: str, suggestions: Suggestions, maker: Any = None, written: Mapping[str, str] | None = None
    ) -> None:
        self.name = name
        self.maker = maker
        self._read: Fields = suggestions.fields
        found = _of_class(name, suggestions, maker) if maker is not None else _of_code(name, suggestions)
        known = {f"{name}.{field}": text for field, text in (written or {}).items()}
        self.fields = {field: [*([known[field]] if field in known else []), *texts] for field, texts in found}

    def expression(self, chosen: Mapping[str, str]) -> str:
        """Return an expression that builds the object; fields not in `chosen` get their likeliest value."""
        values = {field: chosen.get(field, known[0]) for field, known in self.fields.items()}
        if self.maker is None:
            return self._read.object(self.name, values)
        given = ", ".join(f"{field.rpartition('.')[2]}={text}" for field, text in values.items())
        return f"{self.maker.__name__}({given})"


def settings_object(
    name: str, kind: str, suggestions: Suggestions, project_classes: ProjectClasses
) -> SettingsObject | None:
    """Return the settings object for the argument `name`, None if the code reads no fields from it.

    `kind` is the argument's annotation or description.
    """
    read = suggestions.fields.of(name)
    if not read:
        return None
    for cls in project_classes.plain(kind):
        if _takes(cls, read):
            project_classes.world.borrow(cls)
            return SettingsObject(name, suggestions, cls)
    return SettingsObject(name, suggestions, written=written_settings(vars(project_classes.world.module), read))


def _takes(cls: Any, read: list[str]) -> bool:
    """Whether the constructor of a class accepts at least half of the fields that are read."""
    names = guesses.names(cls)
    return 2 * len(set(names) & set(read)) >= len(read)


def _of_class(name: str, suggestions: Suggestions, maker: Any) -> Iterator[tuple[str, list[str]]]:
    for parameter in guesses.plain_parameters(maker):
        field = f"{name}.{parameter.name}"
        guessed = list(guesses.by_kind(guesses.annotation_text(parameter), parameter.name))
        suggested = suggestions.values.get(field, ())
        if parameter.default is inspect.Parameter.empty:
            yield field, list(dict.fromkeys([*suggested, *guessed, *guesses.by_name(parameter.name)]))


def _of_code(name: str, suggestions: Suggestions) -> Iterator[tuple[str, list[str]]]:
    for field in suggestions.fields.leaves(name):
        called = _CALLED if field in suggestions.fields.called else ()
        suggested = suggestions.values.get(field, ())
        yield field, list(dict.fromkeys([*called, *suggested, *guesses.by_name(field.rpartition(".")[2])]))
