"""Side effects of interpreted calls on the analysis itself, besides their results."""

from __future__ import annotations

import ast
from dataclasses import field

from hybridlint.analysis.model.events import Event
from hybridlint.analysis.model.values import ProjectModule, Value
from hybridlint.runtime.facts.records import record


@record(slots=True)
class EffectLog:
    """Effects of interpreted calls: the state that they read, the children that they called, their depth."""

    #: The number of things met that may behave differently in train mode.
    modal: int = 0
    #: The number of those that may also move statistics on in training.
    moving: int = 0
    #: Attributes read in the state that earlier calls left: the identity of the `Instance`, and the name.
    state_read: set[tuple[int, str]] = field(default_factory=set)
    #: Attributes that this call has stored, in the same form: what it reads of them later is its own.
    state_stored: set[tuple[int, str]] = field(default_factory=set)
    #: The arguments of child blocks, by the identity of their `ClassInfo`: one list of values per call.
    child_calls: dict[int, list[tuple[Value, ...]]] = field(default_factory=dict)
    #: Functions that calls tried to enter, and the greatest call depth at such an attempt.
    functions: set[ast.AST] = field(default_factory=set)
    depth: int = 0
    #: The files of the functions that calls entered.
    modules: set[ProjectModule] = field(default_factory=set)
    #: Operators in child blocks whose operands, as this caller passes them, have unequal shapes.
    mismatches: list[Event] = field(default_factory=list)
    #: Whether they depend on the scopes around them, and on the number of unrolled loops.
    asks_scopes: bool = False
    asks_loops: bool = False

    def meet(self, modal: bool, moving: bool | None = None) -> None:
        """Record something that is met: whether it may act by the mode, and whether it may move statistics on."""
        self.modal += modal
        self.moving += modal if moving is None else moving

    def follow(self, later: EffectLog) -> None:
        """Add the side effects of later calls."""
        self.modal += later.modal
        self.moving += later.moving
        self.state_read |= later.state_read - self.state_stored
        self.state_stored |= later.state_stored
        for key, calls in later.child_calls.items():
            self.child_calls.setdefault(key, []).extend(calls)
        self.functions |= later.functions
        self.depth = max(self.depth, later.depth)
        self.modules |= later.modules
        self.mismatches += later.mismatches
        self.asks_scopes |= later.asks_scopes
        self.asks_loops |= later.asks_loops
