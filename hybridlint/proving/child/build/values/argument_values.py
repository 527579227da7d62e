"""Expressions to try for an argument of a constructor, the likeliest first."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.build.values import documented, guesses
from hybridlint.proving.child.build.values.block_arguments import LAYERS, SEQUENTIALS, ArgumentUse, BlockUsage, parts
from hybridlint.proving.child.build.values.choices import Suggestions
from hybridlint.proving.child.build.values.fields import is_settings
from hybridlint.proving.child.build.values.given_arrays import holds_array
from hybridlint.proving.child.build.values.project_classes import ProjectClasses
from hybridlint.proving.child.build.values.requested_arguments import objects_with
from hybridlint.proving.child.build.values.settings_objects import OBJECT, SettingsObject, settings_object
from hybridlint.proving.child.build.values.smaller_sizes import small_first
from hybridlint.proving.child.loaded_module import LoadedModule

if TYPE_CHECKING:
    from typing import Protocol

    from hybridlint.proving.child.build.values.callsites import ConstructorCalls

    class _Known(Protocol):
        """The facts about a module whose classes are built."""

        sites: ConstructorCalls
        world: LoadedModule
        project_classes: ProjectClasses

        @property
        def networks(self) -> list[str]:
            """Expressions that call those functions of the module that build a sequence of layers."""


_LAYERS = ("nn.Dense(4)", "nn.Conv2D(4, 3, padding=1)")
#: Most values that are tried for one argument.
MOST_VALUES = 8


class ArgumentValues:
    """The expressions to try for the arguments of one class; `parameters` may get more while they are looked for.

    `depth` counts the classes whose arguments are being searched; with `keys` dictionaries are candidates too.
    """

    def __init__(
        self, known: _Known, cls: Any, parameters: Mapping[str, inspect.Parameter], *, depth: int, keys: bool
    ) -> None:
        self._known = known
        self._cls = cls
        self._parameters = parameters
        self._depth = depth
        self._documented = documented.of_class(cls, "__init__")
        self._suggestions = Suggestions(cls, keys=keys)
        self._parts = parts(cls)
        self._values: dict[str, list[str]] = {}
        #: The settings objects among the arguments.
        self.objects = {name: self._object(name) for name in parameters}

    def of(self, name: str) -> list[str]:
        """Return expressions to try for an argument, the likeliest first."""
        if name not in self._values:
            held = self._held(name)
            arrays = self.arrays.get(name, [])
            likely = arrays if name in self.only_arrays else itertools.chain(arrays, self._likely(name))
            self._values[name] = held or list(dict.fromkeys(likely))[:MOST_VALUES]
        return self._values[name]

    @cached_property
    def only_arrays(self) -> set[str]:
        """The arguments for which every call in the project whose argument is known gives an array."""
        calls = self._known.sites.of(self._cls)
        return {name for name, texts in self.arrays.items() if len(texts) == sum(name in called for called in calls)}

    @cached_property
    def arrays(self) -> dict[str, list[str]]:
        """The arguments that calls in the project pass arrays for, with these arrays."""
        found: dict[str, list[str]] = {}
        for called in self._known.sites.of(self._cls):
            for name, text in called.items():
                if name in self._parameters and holds_array(self._known.world, text):
                    found.setdefault(name, []).append(text)
        return found

    def _held(self, name: str) -> list[str]:
        """Return expressions for a field of a settings object, an empty list for any other name."""
        known = self.objects.get(name.partition(".")[0])
        return known.fields.get(name, [])[:MOST_VALUES] if known is not None else []

    def _object(self, name: str) -> SettingsObject | None:
        kind = guesses.annotation_text(self._parameters[name]) or self._documented.get(name, "").split("\n")[0]
        return settings_object(name, kind, self._suggestions, self._known.project_classes)

    def _likely(self, name: str) -> Iterator[str]:
        parameter = self._parameters[name]
        project_classes, entry = self._known.project_classes, self._documented.get(name, "")
        kind = guesses.annotation_text(parameter) or entry.split("\n")[0]
        known = self.objects.get(name)
        if known is not None and (known.maker is not None or is_settings(name)):
            yield OBJECT
        yield from project_classes.for_text(self._cls, kind, self._depth)
        guessed = list(guesses.by_kind(kind, name))
        if name in self._parts and (not guessed or guesses.is_block(kind)):
            # Only recurrent layers and cells begin with states.
            read = sorted(project_classes.read(self._cls, name))
            yield from (text for attribute in read for text in objects_with(attribute))
            # The name of a loss says more than how it is called.
            yield from (text for text in guesses.by_name(name) if text.startswith("gluon.loss"))
            yield from project_classes.for_name(self._cls, name, self._depth)
            yield from self._networks(self._parts[name])
        yield from guessed[:1]
        suggested = self._suggestions.values.get(name, ())
        if any(text[:1] in "[(" for text in suggested):
            # If the name suggests a list, the guesses by name know its elements better.
            yield from (text for text in guesses.by_name(name) if text[:1] == "[")
        yield from suggested
        for called in self._known.sites.of(self._cls):
            if name in called:
                yield from (arguments[name] for arguments in small_first(called))
        yield from guessed[1:]
        named = guesses.by_name(name)
        if not guessed:
            if named != guesses.ANYTHING and not named[0].startswith("nn.Dense"):
                yield named[0]
            yield from project_classes.for_name(self._cls, name, self._depth)
        if known is not None:
            yield OBJECT
        if not guessed and name in self._suggestions.fields.called:
            # An argument that is called is a layer, or else another block of the module.
            yield from _LAYERS
            yield from project_classes.blocks(self._cls, self._depth)
        yield from named

    def _networks(self, use: ArgumentUse) -> Iterator[str]:
        """Yield expressions that build blocks for an argument that the class calls; sequences if it uses children.

        If the class passes several inputs or unpacks several outputs, these are blocks of the module with such a
        signature, or a lambda block.
        """
        own = self._known.networks
        if use.part is BlockUsage.TAKEN_APART:
            yield from (*own, *SEQUENTIALS)
        elif use.call.plain:
            yield from (*LAYERS, *own)
        else:
            yield from self._known.project_classes.called_like(self._cls, use.call, self._depth)
            yield from filter(None, [use.call.network])
