"""A cache of results of calls without side effects, so that an equal call is not interpreted again.

It serves the functions that assemble blocks for ``__init__``: a network calls them dozens of times, mostly with equal
arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field

from hybridlint.analysis.model.values import Value
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class _Call:
    """A cached call: its bound parameters, its place, and its result."""

    names: Mapping[str, Value]
    place: tuple[object, ...]
    result: Value


@record(slots=True)
class CallResultCache:
    """The cache of calls for one analysis. A `place` is everything that a call depends on besides its parameters."""

    _calls: dict[ast.AST, list[_Call]] = field(default_factory=dict)

    def recall(self, node: ast.AST, names: Mapping[str, Value], place: tuple[object, ...]) -> Value | None:
        """Return the cached result of a call of a function that is about to begin, None if there is none."""
        for call in self._calls.get(node, ()):
            if call.place == place and call.names == names:
                return call.result
        return None

    def keep(self, node: ast.AST, names: Mapping[str, Value], place: tuple[object, ...], result: Value) -> None:
        """Cache the result of a call whose parameters had these values at its start."""
        self._calls.setdefault(node, []).append(_Call(names, place, result))
