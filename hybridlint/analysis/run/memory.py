"""A cache of results of calls without side effects, so that an equal call is not interpreted again.

It serves the functions that assemble blocks for ``__init__``: a network calls them dozens of times, mostly with equal
arguments.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import Value
    from hybridlint.analysis.run.state import Activation


@dataclass(frozen=True, slots=True)
class _Call:
    """A cached call: its bound parameters, its place, and its result."""

    names: Mapping[str, Value]
    place: tuple[object, ...]
    result: Value


@dataclass(slots=True)
class Memory:
    """The cache of calls for one analysis."""

    _calls: dict[ast.AST, list[_Call]] = field(default_factory=dict)

    def recall(self, act: Activation) -> Value | None:
        """Return the cached result of a call that is about to begin, None if there is none."""
        names, place = act.flow.names, _place(act)
        calls = self._calls.get(act.node, ()) if act.node is not None else ()
        return next((call.result for call in calls if call.place == place and call.names == names), None)

    def keep(self, act: Activation, names: Mapping[str, Value], result: Value) -> None:
        """Cache the result of a call that began with these names bound."""
        assert act.node is not None
        self._calls.setdefault(act.node, []).append(_Call(names, _place(act), result))


def without_effect(act: Activation) -> bool:
    """Return whether a call has no effect besides its result: no events are emitted and it has no self to change."""
    return act.run.quiet > 0 and act.building and act.this is None and act.parent is None


def _place(act: Activation) -> tuple[object, ...]:
    return act.owner, act.mode, act.flow.worlds
