"""One call of a function: the values of its names, the interpreter's position in it, and how it ends."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import field
from typing import Any

from hybridlint.analysis.model.events import (
    Binary,
    CallSite,
    CodeContext,
    Event,
    InPlace,
    MethodCall,
    OpCall,
    SideEffect,
    TensorStore,
    TraceConstant,
)
from hybridlint.analysis.model.lattice import is_each_runs_own
from hybridlint.analysis.model.values import (
    Mode,
    Namespace,
    ProjectClass,
    ProjectModule,
    SelfRef,
    Tensor,
    Value,
)
from hybridlint.analysis.project.builtin_names import builtin
from hybridlint.analysis.run.flow import BOTH, StatementFlow
from hybridlint.analysis.run.run import AnalysisRun
from hybridlint.runtime.facts.dims import DimLike
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.surface import World
from hybridlint.text.parameters import defaults_of

#: Events that may be in-place changes of an array, besides calls of methods.
_CHANGES = frozenset({InPlace, TensorStore, OpCall})


@record(frozen=True, slots=True)
class Role:
    """The caller of a function, and when it calls."""

    #: Whether the code runs at the construction of a block, which is not traced.
    building: bool = False
    #: Whether the function is the one with which the analysis started.
    entry: bool = False
    #: Whether the block is known to be a child of others, so that its result is not an output that a graph can have.
    inner: bool = False
    #: Whether no block of the file is known to reach the function.
    unreached: bool = False
    #: The control flow operator that runs the function inside.
    body: str | None = None


@record(eq=False, slots=True)
class Position:
    """The interpreter's position in a function."""

    #: The calls that led here, outermost first.
    calls: tuple[CallSite, ...] = ()
    statement: ast.stmt | None = None
    #: The statements of the current block.
    block: Sequence[ast.stmt] = ()
    #: The last attribute that was read.
    read: ast.Attribute | None = None
    #: Attributes of self that are lazily created here.
    made_once: frozenset[str] = frozenset()
    #: Whether only a non-default value of a switch among the arguments leads here. A hybridized block cannot be given
    #: one, and state kept in the trace of another block is made and read in that trace.
    against_default: bool = False


@record(eq=False, slots=True)
class ExitPoints:
    """The exits from a function, or from the loop around the position, that the interpreter met so far."""

    #: What ends the function, the value that it returns, and the runs that return there.
    returns: list[tuple[ast.AST, Value, frozenset[World]]] = field(default_factory=list)
    breaks: list[StatementFlow] = field(default_factory=list)
    continues: list[StatementFlow] = field(default_factory=list)
    #: Each ``if`` after which eager runs and the trace go different ways, and no difference has been told yet.
    parted: list[ast.If] = field(default_factory=list)
    #: Whether every path passes through a handler of some ``try`` without a known failure.
    excepted: bool = False


@record(eq=False)
class Activation:
    """One call of a function: the names in scope, and its return values so far."""

    run: AnalysisRun
    module: ProjectModule
    node: ast.FunctionDef | ast.Lambda | None
    owner: ProjectClass | None = None
    this: SelfRef | None = None
    parent: Activation | None = None
    mode: Mode = "legacy"
    role: Role = Role()
    flow: StatementFlow = field(default_factory=StatementFlow)
    place: Position = field(default_factory=Position)
    ends: ExitPoints = field(default_factory=ExitPoints)
    #: The unknown sizes that expressions of settings represent, by texts that are the same for equal values.
    sizes: dict[str, DimLike] = field(default_factory=dict)
    #: Names that the function declares nonlocal.
    nonlocals: set[str] = field(default_factory=set)
    #: Arguments that the function uses as tensors even if they are optional.
    tensors: frozenset[str] = frozenset()

    def lookup(self, name: str) -> Value:
        """Return the value of a name here."""
        scope: Activation | None = self
        while scope is not None:
            if name in scope.flow.names:
                return scope.flow.names[name]
            scope = scope.parent
        node = self.node or (None if self.owner is None else self.owner.node)
        found = None if node is None else self.module.outer_value(node, name)
        found = self.module.value(name) if found is None else found
        return builtin(name) if found is None else found

    def narrowed(self, this: SelfRef, name: str) -> Value | None:
        """Return the value of an attribute of self that follows from enclosing conditions; None if none follows."""
        scope: Activation | None = self
        while scope is not None:
            known = scope.flow.narrowed.get(name)
            if known is not None and scope.this == this:
                return known
            scope = scope.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        """Bind a name, here or in the enclosing function that it is declared nonlocal to."""
        scope: Activation = self
        while name in scope.nonlocals and scope.parent is not None:
            scope = scope.parent
        scope.flow.names[name] = value

    def is_global(self, name: str) -> bool:
        """Return whether a name is bound by the module and by no enclosing function."""
        scope: Activation | None = self
        while scope is not None:
            if name in scope.flow.names:
                return False
            scope = scope.parent
        return name in self.module.definitions

    def holder(self, name: str) -> tuple[Activation | None, str | None]:
        """Return the call of the function that owns a name, and the control flow operator between it and here.

        Each is None if there is none.
        """
        scope: Activation | None = self
        body: str | None = None
        while scope is not None and name not in scope.flow.names:
            body = body or scope.role.body
            scope = scope.parent
        return scope, body

    def is_kept(self, name: str) -> bool:
        """Return whether a name belongs to a function that ran when the block was constructed, unlike this one."""
        scope, _ = self.holder(name)
        return scope is not None and scope.role.building and not self.role.building

    def is_shared_default(self, name: str) -> bool:
        """Return whether a name is a parameter whose mutable default is shared by all calls of the block."""
        if self.node is None or (self.parent is not None and not self.parent.role.building):
            return False
        return isinstance(defaults_of(self.node.args).get(name), ast.List | ast.Dict | ast.Set)

    def emit(self, event: type[Event], node: ast.AST, /, **fields: Any) -> None:
        """Emit an event, unless events are suppressed or only one of the eager run and the trace reaches the code.

        Of the events in a child block, which has an analysis of its own, unequal shapes are kept: they follow from
        what this caller passes.
        """
        replaced = self.run.project.dialect.is_replaced
        if self.flow.worlds != BOTH or not self._is_checked or replaced(self.module, event, fields):
            return
        if not self.silent:
            kept = self.run.events
        elif self._in_child and event in {Binary, OpCall} and fields.get("failure"):
            kept = self.run.trail.mismatches
        else:
            return
        kept.append(event(node, self.frame(_changed(event, fields), event), **fields))

    @property
    def _in_child(self) -> bool:
        reporting = self.run.reporting
        return reporting.child > 0 and not reporting.tries and not self.role.building and self.module is self.run.module

    def suspect(self, event: type[Event], node: ast.AST, /, **fields: Any) -> None:
        """Emit an event, marked as doubtful, about values that may not be tensors."""
        self.run.reporting.doubts += 1
        try:
            self.emit(event, node, **fields)
        finally:
            self.run.reporting.doubts -= 1

    @property
    def silent(self) -> bool:
        """Whether events are suppressed: the code is only tried out, or runs at a block's construction."""
        return self.run.reporting.quiet > 0 or self.role.building

    @property
    def _is_checked(self) -> bool:
        """Whether events here belong to the checked file, because the code is in it or called from it.

        A hybrid class of another file is reported when that file is checked, unless only its subclasses can be run.
        """
        if self.module is self.run.module:
            return True
        owner = self.owner
        own = owner is not None and (owner.hybrid or owner.block) and self._is_run_alone(owner)
        return not own and any(site.source is self.run.module.source for site in self.place.calls)

    def _is_run_alone(self, owner: ProjectClass) -> bool:
        """Whether blocks of a class have an entry: the check of its own file reaches what the entry calls."""
        return not owner.hybrid or owner.method(self.run.project.dialect.entry) is not None

    def frame(self, value: object = None, event: type[Event] = Event) -> CodeContext:
        """Return the current position as a `CodeContext`, with the aliases of an array."""
        return CodeContext(
            source=self.module.source,
            class_name=self.owner.node.name if self.owner is not None else None,
            function=self.node,
            functions=self.functions,
            mode=self.mode,
            calls=self.place.calls,
            statement=self.place.statement,
            aliases=self._aliases(value) if self._may_change(event) else frozenset(),
            unrolled=self.run.loops() > 0,
            rewritten=self.run.reporting.rewritten > 0,
            presumed=isinstance(value, Tensor) and value.presumed,
            certain=self.run.reporting.doubts == 0
            and not self.flow.unsupported
            and not (self.place.against_default and issubclass(event, TraceConstant | SideEffect)),
            unusual=self.flow.unusual,
            seen=self.run.seen,
        )

    @property
    def functions(self) -> str | None:
        """The name of the operator namespace here, None if there is none."""
        scope: Activation | None = self
        while scope is not None:
            for name, value in scope.flow.names.items():
                if isinstance(value, Namespace) and not value.path and is_each_runs_own(value):
                    return name
            scope = scope.parent
        return None

    def tensor(self, **fields: Any) -> Tensor:
        """Return a new array in the mode of this code."""
        return Tensor(mode=self.mode, identity=self.run.token(), **fields)

    def _may_change(self, event: type[Event]) -> bool:
        """Whether an event may be an in-place change. These events look at all names, which is slow.

        A method whose result is unused is called for its effect.
        """
        return event in _CHANGES or (event is MethodCall and isinstance(self.place.statement, ast.Expr))

    def _aliases(self, value: object) -> frozenset[str]:
        if not isinstance(value, Tensor) or value.identity is None:
            return frozenset()
        return frozenset(
            name
            for name, other in self.flow.names.items()
            if isinstance(other, Tensor) and other.identity == value.identity
        )


def _changed(event: type[Event], fields: dict[str, Any]) -> object:
    """Return the value that an event is about, or the value that it changes; the frame lists that value's aliases."""
    if event is InPlace:
        return fields["target"]
    if event is OpCall:
        return fields["arguments"].keywords.get("out")
    return fields.get("value") or fields.get("receiver")
