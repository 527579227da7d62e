"""Results of calls that have no effect but their result: one with the same arguments is not gone into again.

Such are the functions that assemble blocks for ``__init__``: a network calls them dozens of times, most often alike.
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
    """A call as it began, with its parameters bound, and what it gave."""

    names: Mapping[str, Value]
    place: tuple[object, ...]
    result: Value


@dataclass(slots=True)
class Memory:
    """What is remembered of the calls of one analysis."""

    _calls: dict[ast.AST, list[_Call]] = field(default_factory=dict)

    def recall(self, act: Activation) -> Value | None:
        """Return what a call that is about to begin gives, None where that is not known."""
        names, place = act.flow.names, _place(act)
        calls = self._calls.get(act.node, ()) if act.node is not None else ()
        return next((call.result for call in calls if call.place == place and call.names == names), None)

    def keep(self, act: Activation, names: Mapping[str, Value], result: Value) -> None:
        """Remember what a call gave that began with these names bound."""
        assert act.node is not None
        self._calls.setdefault(act.node, []).append(_Call(names, _place(act), result))


def without_effect(act: Activation) -> bool:
    """Whether a call that is about to begin can be told by its result alone: nobody hears it, and no self changes."""
    return act.run.quiet > 0 and act.building and act.this is None and act.parent is None


def _place(act: Activation) -> tuple[object, ...]:
    return act.owner, act.mode, act.flow.worlds
