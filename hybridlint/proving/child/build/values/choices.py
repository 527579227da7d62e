"""Candidate values for constructor arguments, as the code of a class suggests them.

A value read from a settings object has a dotted name: ``config.hidden`` for both ``config.hidden`` and
``self.config["hidden"]``.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from types import ModuleType
from typing import Any

from hybridlint.proving.child.brief.code import KEYS, LENGTH, TEXTS_HELD, PassedNames, Suggestion, facts_of
from hybridlint.proving.child.build.values.fields import Fields

#: How many nested calls an argument is followed through.
DEPTH = 2
#: Most values that are tried for one argument.
MOST = 4
#: The most items of a list that the code asks for.
_LONGEST = 64


class Suggestions:
    """Hints about arguments, from the code of a class or of a function that builds a block.

    `values` maps an argument's name (dotted for a field of a settings object) to candidate expressions. `fields` are
    the fields that the code reads from settings objects.
    """

    def __init__(self, cls: Any, *, keys: bool = False) -> None:
        self.values: dict[str, tuple[str, ...]] = {}
        self.fields = Fields()
        for function in _functions(cls):
            reader = _Reader(function, DEPTH, keys)
            self.fields.add(reader.fields.read_as, reader.fields.called)
            for name, values in reader.values.items():
                self.values[name] = tuple(dict.fromkeys([*self.values.get(name, ()), *values]))[:MOST]


def choices(cls: Any, *, keys: bool = False) -> dict[str, tuple[str, ...]]:
    """Return candidate expressions by argument name, suggested by comparisons, lookups and loops in the class's code.

    With `keys` True a dictionary with the keys that the code reads from the argument is a candidate too. It is less
    likely to work, because the values under these keys are guesses as well.
    """
    return Suggestions(cls, keys=keys).values


def _functions(cls: Any) -> list[Any]:
    if inspect.isfunction(cls):
        return [cls]
    return [value for base in getattr(cls, "__mro__", ()) for value in vars(base).values() if inspect.isfunction(value)]


class _Reader:
    """Hints from the code of one function, and of functions it passes its arguments to, `depth` nested calls deep.

    `values` and `fields` are those of `Suggestions`.
    """

    def __init__(self, function: Any, depth: int, keys: bool) -> None:
        facts = facts_of(function)
        self.scope: Mapping[str, Any] = getattr(inspect.unwrap(function), "__globals__", {})
        self.depth, self.keys = depth, keys
        self.fields = Fields()
        self.fields.add(facts.read, facts.called)
        found: dict[str, dict[str, None]] = {name: {text: None} for name, text in facts.dictionaries.items() if keys}
        for suggestion in facts.suggestions:
            found.setdefault(suggestion.name, {}).update(dict.fromkeys(self._values(suggestion)))
        for call in facts.passed if depth else ():
            for name, values in self._passed_on(call):
                found.setdefault(name, {}).update(dict.fromkeys(values))
        self.values = {name: tuple(values)[:MOST] for name, values in found.items() if values}

    def _values(self, suggestion: Suggestion) -> Iterator[str]:
        if not suggestion.constant:
            yield suggestion.text
            return
        held = self._constant(suggestion.constant)
        if suggestion.use == LENGTH:
            length = len(held) if isinstance(held, (list, tuple, dict, str)) else held
            if type(length) is int and 1 < length <= _LONGEST:
                yield f"[{', '.join([suggestion.text] * length)}]"
            return
        kinds = str if suggestion.use == TEXTS_HELD else (str, int)
        items = held if isinstance(held, dict) or (isinstance(held, (list, tuple)) and suggestion.use != KEYS) else ()
        single = isinstance(held, (str, int)) and suggestion.use != KEYS
        yield from (repr(item) for item in ([held] if single else items) if isinstance(item, kinds))

    def _constant(self, name: str) -> Any:
        """Return the value of a module variable or an attribute of an imported module, None if there is none."""
        first, _, attribute = name.partition(".")
        held = self.scope.get(first)
        if not attribute:
            return held
        return vars(held).get(attribute) if isinstance(held, ModuleType) else None

    def _passed_on(self, call: PassedNames) -> Iterator[tuple[str, tuple[str, ...]]]:
        """Yield (name, candidate expressions) for names that a call passes on, by the called function's code."""
        function = self._constant(call.function)
        first = isinstance(function, type)
        if isinstance(function, type):
            function = vars(function).get("__init__")
        if not inspect.isfunction(function):
            return
        read = _Reader(function, self.depth - 1, self.keys)
        places = list(inspect.signature(function).parameters)[first:]
        given = [*zip(places, call.positional), *call.named.items()]  # noqa: B905 - runs under Python 3.8 too
        for place, name in given:
            if name:
                self.fields.passed_on(name, read.fields, place)
                for full_name, values in read.values.items():
                    if full_name == place or full_name.startswith(f"{place}."):
                        yield name + full_name[len(place) :], values
