"""The interpreter's state: its position, the values of names there, and the events emitted so far."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.model.events import CallSite, Event, Frame, InPlace, OpCall, SideEffect, TraceConstant
from hybridlint.analysis.model.lattice import divided, join
from hybridlint.analysis.model.seen import Seen
from hybridlint.analysis.model.values import (
    Concrete,
    Mode,
    Namespace,
    ProjectClass,
    ProjectModule,
    Static,
    Tensor,
    This,
    Value,
)
from hybridlint.analysis.project.imports import builtin
from hybridlint.analysis.project.program import Module, Project
from hybridlint.analysis.run.memory import Memory
from hybridlint.analysis.run.numbering import Number
from hybridlint.analysis.run.trail import Trail
from hybridlint.runtime.facts.surface import World
from hybridlint.runtime.facts.types import Shape

if TYPE_CHECKING:
    from hybridlint.analysis.project.instances import Instance
    from hybridlint.analysis.run.known import Known

BOTH: frozenset[World] = frozenset({"eager", "traced"})

#: The prefix of an attribute whose value a condition has narrowed, which is not a store.
NARROWED = "narrowed self."

_SETTINGS = (Static, Concrete)
_MOST_CALLS = 12
_MOST_STEPS = 40_000


@dataclass(eq=False)
class Flow:
    """The values of names at one point. `worlds` are the runs that reach it; empty once the flow has ended.

    Attributes of self that the code stores are among the names, as ``self.name``.
    """

    names: dict[str, Value] = field(default_factory=dict)
    worlds: frozenset[World] = BOTH
    #: Whether MXNet 1.9.1 has already raised here: only another version continues.
    elsewhere: bool = False

    def copy(self) -> Flow:
        """Return an independent copy."""
        return Flow(dict(self.names), self.worlds, self.elsewhere)

    @property
    def alive(self) -> bool:
        """Whether any run reaches this point."""
        return bool(self.worlds)

    def end(self) -> None:
        """End the flow: no run continues from here."""
        self.worlds = frozenset()


def merge(left: Flow, right: Flow) -> Flow:
    """Return the flow where two paths meet."""
    if not left.alive or not right.alive:
        return left if left.alive else right
    # A name bound on one path only keeps that value: reading it on the other path would raise.
    names = right.names | left.names
    for name, value in right.names.items():
        other = names[name]
        if other is not value:
            names[name] = _met(other, value, left.worlds, right.worlds)
    return Flow(names, left.worlds | right.worlds, left.elsewhere and right.elsewhere)


def _met(left: Value, right: Value, worlds: frozenset[World], others: frozenset[World]) -> Value:
    """Return the value of a name where two paths meet; a setting that differs by run keeps both values."""
    apart = len(worlds) == len(others) == 1 and worlds != others
    settings = isinstance(left, _SETTINGS) and isinstance(right, _SETTINGS) and left != right
    if not apart or not (settings or _is_flag(left) or _is_flag(right)):
        return join(left, right)
    sides = [replace(v, certain=True) if isinstance(v, Static) and _is_flag(v) else v for v in (left, right)]
    return divided(*(sides if worlds == {"eager"} else sides[::-1]))


def _is_flag(value: Value) -> bool:
    return isinstance(value, Static) and (value.value is None or isinstance(value.value, bool | str))


@dataclass(eq=False)
class Run:
    """One analysis of a file: its events, and the limits on its work."""

    project: Project
    module: Module
    events: list[Event] = field(default_factory=list)
    quiet: int = 0
    #: The number of unrolled loops around the interpreter's position.
    unrolled: int = 0
    #: The number of calls around it that are evaluated as synthetic syntax.
    rewritten: int = 0
    steps: int = 0
    #: The step limit; what lies beyond it is unknown.
    most_steps: int = _MOST_STEPS
    #: The statement of the entered function at which the limit was reached.
    cut: ast.stmt | None = None
    stack: list[ast.AST] = field(default_factory=list)
    tokens: int = 0
    #: Above 0, values are merely possible tensors, not certain ones.
    doubts: int = 0
    trail: Trail = field(default_factory=Trail)
    #: The values added to containers of blocks, by the call that built the container.
    parts: dict[ast.AST, list[Value]] = field(default_factory=dict)
    #: The calls that built containers of blocks to which only some paths add something.
    varying: set[ast.AST] = field(default_factory=set)
    #: The names that each function computes from its arguments.
    fed: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    #: Whether a container of blocks maps one tensor to one, by the call that built it and its class.
    single: dict[tuple[ast.AST | None, ProjectClass | None], bool] = field(default_factory=dict)
    #: The instance of each class, by the identity of its `ClassInfo`.
    instances: dict[int, Instance] = field(default_factory=dict)
    #: Functions that were already analyzed with their own F.
    entered: set[ast.AST] = field(default_factory=set)
    #: Functions that control flow operators run inside, with the operator's name.
    bodies: Mapping[ast.AST, str] = field(default_factory=dict)
    #: Names of objects whose attributes may be among a flow's names.
    owners: set[str] = field(default_factory=lambda: {"self"})
    #: The number of times that a limit kept the interpreter out of a function.
    limits: int = 0
    #: Shapes of inputs observed in a real run, by class and name.
    recorded: Mapping[str, Mapping[str, Shape]] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)
    #: Interpreted calls of child blocks, by everything that they depend on.
    repeats: dict[Hashable, list[Known]] = field(default_factory=dict)
    #: The numbers of arrays and unknown sizes that ``__init__`` left on blocks.
    kept: Set[Number] = frozenset()
    #: Whether a call has changed an object that outlives it, so that the next call may behave differently.
    changed: bool = False
    #: The last links of chains whose ``else`` only rejects values; events in that ``else`` are suppressed.
    complaints: set[ast.AST] = field(default_factory=set)
    seen: Seen = field(default_factory=Seen)
    #: The autograd scopes around the interpreter's position, outermost first.
    scopes: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Begin the analysis of another block or of a separate function."""
        self.steps = 0
        self.cut = None
        self.trail.state_read.clear()

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Give the code inside a step budget of its own, as large as a whole analysis has."""
        steps, self.steps = self.steps, 0
        try:
            yield
        finally:
            self.steps = steps

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Suppress events inside."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    @contextmanager
    def unrolling(self) -> Iterator[None]:
        """Mark the code inside as one step of an unrolled loop."""
        self.unrolled += 1
        try:
            yield
        finally:
            self.unrolled -= 1

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Mark the code inside as synthetic syntax that is not in the file."""
        self.rewritten += 1
        try:
            yield
        finally:
            self.rewritten -= 1

    @property
    def exhausted(self) -> bool:
        """Whether the step limit is reached."""
        return self.steps > self.most_steps

    @property
    def busy(self) -> bool:
        """Whether so many steps are used that refinements of mere precision are skipped."""
        return self.steps > self.most_steps // 4

    def may_repeat(self, call: Known) -> bool:
        """Return whether reusing a call's result stays within the same limits that interpreting it again would."""
        after = self.steps + call.steps
        bounded = self.busy is call.busy is (after > self.most_steps // 4) and after <= self.most_steps
        return bounded and len(self.stack) + call.depth < _MOST_CALLS and call.trail.functions.isdisjoint(self.stack)

    def may_enter(self, node: ast.AST) -> bool:
        """Return whether the interpreter may enter a function: no recursion, limited depth."""
        may = node not in self.stack and len(self.stack) < _MOST_CALLS and not self.exhausted
        self.limits += not may
        self.trail.functions.add(node)
        self.trail.depth = max(self.trail.depth, len(self.stack))
        return may

    def token(self) -> int:
        """Return a new number that identifies an object."""
        self.tokens += 1
        return self.tokens


@dataclass(eq=False)
class Activation:
    """One call of a function: the names in scope, and its return values so far."""

    run: Run
    module: ProjectModule
    node: ast.FunctionDef | ast.Lambda | None
    owner: ProjectClass | None = None
    this: This | None = None
    parent: Activation | None = None
    calls: tuple[CallSite, ...] = ()
    flow: Flow = field(default_factory=Flow)
    returns: list[tuple[ast.AST, Value, frozenset[World]]] = field(default_factory=list)
    breaks: list[Flow] = field(default_factory=list)
    continues: list[Flow] = field(default_factory=list)
    statement: ast.stmt | None = None
    #: The statements of the current block.
    block: Sequence[ast.stmt] = ()
    mode: Mode = "legacy"
    #: Whether the code runs at the construction of a block, which is not traced.
    building: bool = False
    #: Whether the function is the hybrid_forward with which the analysis started.
    entry: bool = False
    #: Whether the block is known to be a child of others, so that its result is not an output that a graph can have.
    inner: bool = False
    #: Whether every path passes through a handler of some ``try`` without a known failure.
    excepted: bool = False
    #: Attributes of self that are lazily created here.
    made_once: frozenset[str] = frozenset()
    #: Names that the function declares nonlocal.
    nonlocals: set[str] = field(default_factory=set)
    #: Whether only a non-default value of a switch among the arguments leads here. A hybridized block cannot be given
    #: one,
    #: and state kept in the trace of another block is made and read in that trace.
    against_default: bool = False
    #: The control flow operator that runs the function inside.
    body: str | None = None
    #: Arguments that the function uses as tensors even if they are optional.
    tensors: frozenset[str] = frozenset()

    def lookup(self, name: str) -> Value:
        """Return the value of a name here."""
        scope: Activation | None = self
        while scope is not None:
            if name in scope.flow.names:
                return scope.flow.names[name]
            scope = scope.parent
        found = self.module.value(name)
        return builtin(name) if found is None else found

    def narrowed(self, this: This, name: str) -> Value | None:
        """Return what enclosing conditions imply for an attribute; None if they imply nothing."""
        scope: Activation | None = self
        while scope is not None:
            known = scope.flow.names.get(f"{NARROWED}{name}")
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
        """Return whether only the module binds a name."""
        scope: Activation | None = self
        while scope is not None:
            if name in scope.flow.names:
                return False
            scope = scope.parent
        return name in self.module.definitions

    def holder(self, name: str) -> tuple[Activation | None, str | None]:
        """Return the function that owns a name, and the control flow operator between it and here, or None for each."""
        scope: Activation | None = self
        body: str | None = None
        while scope is not None and name not in scope.flow.names:
            body = body or scope.body
            scope = scope.parent
        return scope, body

    def is_kept(self, name: str) -> bool:
        """Return whether a name belongs to a function that ran at the block's construction, while this one did not."""
        scope, _ = self.holder(name)
        return scope is not None and scope.building and not self.building

    def is_shared_default(self, name: str) -> bool:
        """Return whether a name is a parameter whose mutable default is shared by all calls of the block."""
        if self.node is None or (self.parent is not None and not self.parent.building):
            return False
        spec = self.node.args
        positional = [*spec.posonlyargs, *spec.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = list(zip(positional[::-1], spec.defaults[::-1], strict=False))
        pairs += zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        return any(p.arg == name and isinstance(d, ast.List | ast.Dict | ast.Set) for p, d in pairs)

    def tell(self, event: type[Event], node: ast.AST, /, **fields: Any) -> None:
        """Emit an event, unless events are suppressed or the code is not reached by both runs."""
        if self.silent or self.flow.worlds != BOTH or not self._is_checked:
            return
        self.run.events.append(event(node, self.frame(_changed(event, fields), event), **fields))

    def suspect(self, event: type[Event], node: ast.AST, /, **fields: Any) -> None:
        """Emit an event about values that may be tensors but need not be."""
        self.run.doubts += 1
        try:
            self.tell(event, node, **fields)
        finally:
            self.run.doubts -= 1

    @property
    def silent(self) -> bool:
        """Whether events are suppressed: the code is only tried out, or runs at a block's construction."""
        return self.run.quiet > 0 or self.building

    @property
    def _is_checked(self) -> bool:
        """Whether events here belong to the checked file, because the code is in it or called from it.

        A hybrid class of another file is reported when that file is checked.
        """
        if self.module is self.run.module:
            return True
        own = self.owner is not None and (self.owner.hybrid or self.owner.block)
        return not own and any(site.source is self.run.module.source for site in self.calls)

    def frame(self, value: object = None, event: type[Event] = Event) -> Frame:
        """Return the current position as a `Frame`, with the aliases of an array."""
        return Frame(
            source=self.module.source,
            class_name=self.owner.node.name if self.owner is not None else None,
            function=self.node,
            functions=self.functions,
            mode=self.mode,
            calls=self.calls,
            statement=self.statement,
            aliases=self._aliases(value),
            unrolled=self.run.unrolled > 0,
            rewritten=self.run.rewritten > 0,
            presumed=isinstance(value, Tensor) and value.presumed,
            certain=self.run.doubts == 0
            and not self.flow.elsewhere
            and not (self.against_default and issubclass(event, TraceConstant | SideEffect)),
            seen=self.run.seen,
        )

    @property
    def functions(self) -> str | None:
        """The name of the operator namespace here, None if there is none."""
        scope: Activation | None = self
        while scope is not None:
            for name, value in scope.flow.names.items():
                if value == Namespace("F"):
                    return name
            scope = scope.parent
        return None

    def tensor(self, **fields: Any) -> Tensor:
        """Return a new array in the mode of this code."""
        return Tensor(mode=self.mode, identity=self.run.token(), **fields)

    def _aliases(self, value: object) -> frozenset[str]:
        if not isinstance(value, Tensor) or value.identity is None:
            return frozenset()
        return frozenset(
            name
            for name, other in self.flow.names.items()
            if isinstance(other, Tensor) and other.identity == value.identity
        )


def _changed(event: type[Event], fields: dict[str, Any]) -> object:
    """Return the value that an event is about: the one that it changes, if any. The frame lists its aliases."""
    if event is InPlace:
        return fields["target"]
    if event is OpCall:
        return fields["arguments"].keywords.get("out")
    return fields.get("value") or fields.get("receiver")
