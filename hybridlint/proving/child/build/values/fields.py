"""Fields that code reads from settings objects: the attributes and keys of an argument such as ``config``."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

#: Attributes of numbers, strings, containers and arrays; reading one does not indicate a settings object.
_ORDINARY = frozenset(
    name for kind in (list, dict, str, int, float, tuple, set) for name in dir(kind) if not name.startswith("__")
) | {"shape", "dtype", "size", "context", "ctx", "ndim", "asnumpy", "astype", "name", "params", "prefix"}
#: Names of arguments that are taken for settings objects even if the code calls their fields.
_SETTINGS = re.compile(
    r"(?:\w+_)?(?:config\w*|conf|cfg|opts?|options?|args|hparams?|hps|hyper\w*|settings?|flags?|params?)", re.I
)
#: So many string keys, read of an argument with any name, mean a settings object.
_SEVERAL = 3
_ATTRIBUTE, _KEY = "attribute", "key"


class Fields:
    """The dotted names, such as ``config.hidden``, that code reads.

    `read_as` says for each whether it is read as an attribute, by a string key, or both; `called` are those it calls.
    """

    def __init__(self) -> None:
        self.read_as: dict[str, set[str]] = {}
        self.called: set[str] = set()

    def add(self, read_as: Mapping[str, Iterable[str]], called: Iterable[str]) -> None:
        """Add the names that a function reads, and those that it calls."""
        for name, kinds in read_as.items():
            self.read_as.setdefault(name, set()).update(kinds)
        self.called.update(called)

    def passed_on(self, name: str, other: Fields, place: str) -> None:
        """Add the fields of `name` that a called function reads, which receives `name` as its argument `place`."""
        for full_name, kinds in other.read_as.items():
            if full_name.startswith(f"{place}."):
                self.read_as.setdefault(name + full_name[len(place) :], set()).update(kinds)
        self.called |= {
            name + full_name[len(place) :] for full_name in other.called if full_name.startswith(f"{place}.")
        }

    def of(self, name: str) -> list[str]:
        """Return the names of the direct fields of a settings object; empty if `name` is used like something else."""
        below = list(self._below(name))
        own = [field for field in below if field not in _ORDINARY]
        named = is_settings(name)
        if name in self.called or (any(f"{name}.{field}" in self.called for field in own) and not named):
            return []
        keys = [field for field in below if _KEY in self.read_as.get(f"{name}.{field}", ())]
        # A dictionary of which only one or two string keys are read is left to the guesses for dictionaries.
        return below if own and (named or len(keys) < len(below) or len(keys) >= _SEVERAL) else []

    def _below(self, name: str) -> Iterator[str]:
        start = f"{name}."
        below = (full_name[len(start) :].partition(".")[0] for full_name in self.read_as if full_name.startswith(start))
        # Methods of dictionaries and strings are called; they are not fields.
        yield from dict.fromkeys(f for f in below if f not in _ORDINARY or start + f not in self.called)

    def object(self, name: str, values: dict[str, str]) -> str:
        """Return an expression that builds the settings object `name`.

        `values` has an expression for each dotted field name. The object is a dictionary if its fields are only read by
        key, a SimpleNamespace if they are only read as attributes, else a dictionary with attribute access.
        """
        held = {field: self._held(f"{name}.{field}", values) for field in self._below(name)}
        kinds = {kind for field in held for kind in self.read_as.get(f"{name}.{field}", {_ATTRIBUTE})}
        attributes = ", ".join(f"{field}={text}" for field, text in held.items())
        table = "{" + ", ".join(f'"{field}": {text}' for field, text in held.items()) + "}"
        if kinds == {_KEY}:
            return table
        if kinds == {_ATTRIBUTE}:
            return f"SimpleNamespace({attributes})"
        return f'type("Settings", (dict,), {{"__getattr__": dict.__getitem__}})({table})'

    def _held(self, name: str, values: dict[str, str]) -> str:
        return self.object(name, values) if self.of(name) else values[name]

    def leaves(self, name: str) -> Iterator[str]:
        """Yield the dotted names of the fields of a settings object, following nested settings objects."""
        for field in self.of(name):
            inner = f"{name}.{field}"
            yield from self.leaves(inner) if self.of(inner) else [inner]


def is_settings(name: str) -> bool:
    """Whether an argument's name says that it is a settings object."""
    return _SETTINGS.fullmatch(name.rpartition(".")[2]) is not None
