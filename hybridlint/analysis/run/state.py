"""The interpreter's state: where it stands, what names hold there, and who is told."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from hybridlint.analysis.model.events import CallSite, Event, Frame, InPlace, OpCall, SideEffect, TraceConstant
from hybridlint.analysis.model.lattice import divided, join
from hybridlint.analysis.model.values import Concrete, Mode, Namespace, Static, Tensor, This, Value
from hybridlint.analysis.project.imports import builtin
from hybridlint.analysis.project.program import ClassInfo, Module, Project
from hybridlint.analysis.run.memory import Memory
from hybridlint.analysis.run.numbering import Number
from hybridlint.analysis.run.seen import Seen
from hybridlint.analysis.run.trail import Trail
from hybridlint.runtime.surface import World
from hybridlint.runtime.types import Shape

if TYPE_CHECKING:
    from hybridlint.analysis.project.instances import Instance
    from hybridlint.analysis.run.repeats import Known

BOTH: frozenset[World] = frozenset({"eager", "traced"})

#: What stands before the name of an attribute of which a condition has told more: it is not stored by that.
NARROWED = "narrowed self."

_SETTINGS = (Static, Concrete)
_MOST_CALLS = 12
_MOST_STEPS = 40_000


@dataclass(eq=False)
class Flow:
    """What names hold at one point of the flow. `worlds` are the runs that come here; none once the flow has ended.

    Attributes of self that the code stores stand among the names, as ``self.name``.
    """

    names: dict[str, Value] = field(default_factory=dict)
    worlds: frozenset[World] = BOTH
    #: Whether MXNet 1.9.1 has already raised here: only another version of it goes on.
    elsewhere: bool = False

    def copy(self) -> Flow:
        """Return a flow that can go its own way."""
        return Flow(dict(self.names), self.worlds, self.elsewhere)

    @property
    def alive(self) -> bool:
        """Whether any run comes here."""
        return bool(self.worlds)

    def end(self) -> None:
        """Let no run go on from here."""
        self.worlds = frozenset()


def merge(left: Flow, right: Flow) -> Flow:
    """Return the flow in which two ways meet."""
    if not left.alive or not right.alive:
        return left if left.alive else right
    # A name that only one way binds is taken as that way leaves it: reading it on the other would raise.
    names = right.names | left.names
    for name, value in right.names.items():
        other = names[name]
        if other is not value:
            names[name] = _met(other, value, left.worlds, right.worlds)
    return Flow(names, left.worlds | right.worlds, left.elsewhere and right.elsewhere)


def _met(left: Value, right: Value, worlds: frozenset[World], others: frozenset[World]) -> Value:
    """Return what a name holds where two ways meet: a setting that each run sets otherwise is known in each of them."""
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
    """One analysis of a file: the events, and bounds on the work."""

    project: Project
    module: Module
    events: list[Event] = field(default_factory=list)
    quiet: int = 0
    #: How many loops the interpreter is in that it goes through step by step.
    unrolled: int = 0
    #: How many calls the interpreter is in that it evaluates as other syntax.
    rewritten: int = 0
    steps: int = 0
    #: The bound on them; what remains is unknown.
    most_steps: int = _MOST_STEPS
    #: The statement of the entered function in which the bound was reached.
    cut: ast.stmt | None = None
    stack: list[ast.AST] = field(default_factory=list)
    tokens: int = 0
    #: Whether values are only supposed to be tensors.
    doubts: int = 0
    trail: Trail = field(default_factory=Trail)
    #: What was added to containers of blocks, by the call that made the container.
    parts: dict[ast.AST, list[Value]] = field(default_factory=dict)
    #: The calls that made containers of blocks to which something is added on one of several ways only.
    varying: set[ast.AST] = field(default_factory=set)
    #: Names that functions compute from their arguments, by the function.
    fed: dict[ast.AST, frozenset[str]] = field(default_factory=dict)
    #: Whether a container of blocks makes one tensor of one, by the call that made it and its class.
    single: dict[tuple[ast.AST | None, ClassInfo | None], bool] = field(default_factory=dict)
    #: What is known of each class's blocks, by the identity of its `ClassInfo`.
    instances: dict[int, Instance] = field(default_factory=dict)
    #: Functions that the interpreter has been in with their own F.
    entered: set[ast.AST] = field(default_factory=set)
    #: Functions that control flow operators run inside of them, and which operators these are.
    bodies: Mapping[ast.AST, str] = field(default_factory=dict)
    #: Names whose attributes may stand among the names of a flow.
    owners: set[str] = field(default_factory=lambda: {"self"})
    #: How often the interpreter was kept out of a function.
    limits: int = 0
    #: Shapes of inputs that were seen in a real run, by class and name.
    recorded: Mapping[str, Mapping[str, Shape]] = field(default_factory=dict)
    memory: Memory = field(default_factory=Memory)
    #: Calls of child blocks that were gone into, by what they depend on.
    repeats: dict[Hashable, list[Known]] = field(default_factory=dict)
    #: The numbers of arrays and unknown sizes that ``__init__`` has left on blocks.
    kept: Set[Number] = frozenset()
    #: Whether objects that outlive calls hold what a call has put there, so that the next one finds something else.
    changed: bool = False
    #: The last links of chains whose ``else`` only complains: what it does there is not told.
    complaints: set[ast.AST] = field(default_factory=set)
    seen: Seen = field(default_factory=Seen)
    #: The scopes of autograd that the interpreter is in, outermost first.
    scopes: list[str] = field(default_factory=list)

    def begin(self) -> None:
        """Begin the analysis of another block, or of a function of its own."""
        self.steps = 0
        self.cut = None
        self.trail.state_read.clear()

    @contextmanager
    def beginning(self) -> Iterator[None]:
        """Let what happens inside take as many steps as an analysis of its own."""
        steps, self.steps = self.steps, 0
        try:
            yield
        finally:
            self.steps = steps

    @contextmanager
    def silently(self) -> Iterator[None]:
        """Tell nobody what happens inside."""
        self.quiet += 1
        try:
            yield
        finally:
            self.quiet -= 1

    @contextmanager
    def unrolling(self) -> Iterator[None]:
        """Mark what happens inside as one step of a loop."""
        self.unrolled += 1
        try:
            yield
        finally:
            self.unrolled -= 1

    @contextmanager
    def rewriting(self) -> Iterator[None]:
        """Mark what happens inside as told of syntax that does not stand in the file."""
        self.rewritten += 1
        try:
            yield
        finally:
            self.rewritten -= 1

    @property
    def exhausted(self) -> bool:
        """Whether the bound on the work is reached."""
        return self.steps > self.most_steps

    @property
    def busy(self) -> bool:
        """Whether so much is done that what merely sharpens the picture is left out."""
        return self.steps > self.most_steps // 4

    def may_repeat(self, call: Known) -> bool:
        """Whether the interpreter may go as far again as it went for a call, and just as far."""
        after = self.steps + call.steps
        bounded = self.busy is call.busy is (after > self.most_steps // 4) and after <= self.most_steps
        return bounded and len(self.stack) + call.depth < _MOST_CALLS and call.trail.functions.isdisjoint(self.stack)

    def may_enter(self, node: ast.AST) -> bool:
        """Whether the interpreter may go into a function: not into one it is in, and not too deep."""
        may = node not in self.stack and len(self.stack) < _MOST_CALLS and not self.exhausted
        self.limits += not may
        self.trail.functions.add(node)
        self.trail.depth = max(self.trail.depth, len(self.stack))
        return may

    def token(self) -> int:
        """Return a number that stands for one new object."""
        self.tokens += 1
        return self.tokens


@dataclass(eq=False)
class Activation:
    """One call of a function: the names in reach, and what it has returned so far."""

    run: Run
    module: Module
    node: ast.FunctionDef | ast.Lambda | None
    owner: ClassInfo | None = None
    this: This | None = None
    parent: Activation | None = None
    calls: tuple[CallSite, ...] = ()
    flow: Flow = field(default_factory=Flow)
    returns: list[tuple[ast.AST, Value, frozenset[World]]] = field(default_factory=list)
    breaks: list[Flow] = field(default_factory=list)
    continues: list[Flow] = field(default_factory=list)
    statement: ast.stmt | None = None
    #: The statements among which it stands.
    block: Sequence[ast.stmt] = ()
    mode: Mode = "legacy"
    #: Whether the code runs at the construction of a block: nothing that it does is traced.
    building: bool = False
    #: Whether the function is the hybrid_forward that the analysis started from.
    entry: bool = False
    #: Whether the block is known to be a child of others, so that what it returns is no output of a graph.
    inner: bool = False
    #: Whether only a handler leads on from some ``try``, which nothing is known to lead to.
    excepted: bool = False
    #: Attributes of self that are made here where they are not there yet.
    made_once: frozenset[str] = frozenset()
    #: Names of enclosing functions that the function binds.
    nonlocals: set[str] = field(default_factory=set)
    #: Whether only another value than its default lets a switch among the arguments lead here: no hybridized block can
    #: be given one, and what is kept in the trace of another block is made and read in it.
    against_default: bool = False
    #: The control flow operator that runs the function inside of it.
    body: str | None = None
    #: Arguments that the function uses as tensors, even where they may be left out.
    tensors: frozenset[str] = frozenset()

    def lookup(self, name: str) -> Value:
        """Return what a name holds here."""
        scope: Activation | None = self
        while scope is not None:
            if name in scope.flow.names:
                return scope.flow.names[name]
            scope = scope.parent
        found = self.module.value(name)
        return builtin(name) if found is None else found

    def narrowed(self, this: This, name: str) -> Value | None:
        """Return what conditions on the way here have told of an attribute; None where they have told nothing."""
        scope: Activation | None = self
        while scope is not None:
            known = scope.flow.names.get(f"{NARROWED}{name}")
            if known is not None and scope.this == this:
                return known
            scope = scope.parent
        return None

    def bind(self, name: str, value: Value) -> None:
        """Let a name hold a value: here, or in the enclosing function that it is declared to belong to."""
        scope: Activation = self
        while name in scope.nonlocals and scope.parent is not None:
            scope = scope.parent
        scope.flow.names[name] = value

    def is_global(self, name: str) -> bool:
        """Whether a name is bound by the module alone."""
        scope: Activation | None = self
        while scope is not None:
            if name in scope.flow.names:
                return False
            scope = scope.parent
        return name in self.module.definitions

    def holder(self, name: str) -> tuple[Activation | None, str | None]:
        """Return the function whose name it is, and the control flow operator whose function is between it and here."""
        scope: Activation | None = self
        body: str | None = None
        while scope is not None and name not in scope.flow.names:
            body = body or scope.body
            scope = scope.parent
        return scope, body

    def is_kept(self, name: str) -> bool:
        """Whether a name belongs to a function that has run at the construction of the block, which this one is not."""
        scope, _ = self.holder(name)
        return scope is not None and scope.building and not self.building

    def is_shared_default(self, name: str) -> bool:
        """Whether a name is a parameter whose default is one container for all calls of the block."""
        if self.node is None or (self.parent is not None and not self.parent.building):
            return False
        spec = self.node.args
        positional = [*spec.posonlyargs, *spec.args]
        pairs: list[tuple[ast.arg, ast.expr | None]] = list(zip(positional[::-1], spec.defaults[::-1], strict=False))
        pairs += zip(spec.kwonlyargs, spec.kw_defaults, strict=True)
        return any(p.arg == name and isinstance(d, ast.List | ast.Dict | ast.Set) for p, d in pairs)

    def tell(self, event: type[Event], node: ast.AST, /, **fields: Any) -> None:
        """Tell an event, unless the code cannot be traced."""
        if self.silent or self.flow.worlds != BOTH or not self._is_checked:
            return
        self.run.events.append(event(node, self.frame(_changed(event, fields), event), **fields))

    def suspect(self, event: type[Event], node: ast.AST, /, **fields: Any) -> None:
        """Tell an event about values that may be tensors, and may be something else."""
        self.run.doubts += 1
        try:
            self.tell(event, node, **fields)
        finally:
            self.run.doubts -= 1

    @property
    def silent(self) -> bool:
        """Whether nothing that happens here is told: it is tried out, or runs at the construction of a block."""
        return self.run.quiet > 0 or self.building

    @property
    def _is_checked(self) -> bool:
        """Whether what happens here is told of the file that is checked: it stands there, or is called from there.

        What a hybrid class of another file does is told where that file is checked.
        """
        if self.module is self.run.module:
            return True
        own = self.owner is not None and (self.owner.hybrid or self.owner.block)
        return not own and any(site.source is self.run.module.source for site in self.calls)

    def frame(self, value: object = None, event: type[Event] = Event) -> Frame:
        """Return where the interpreter stands, with the names that hold the same array as a value."""
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
        """What the operator namespace is called here."""
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
    """Return the value that an event is about, whose other names matter: what is changed where something is."""
    if event is InPlace:
        return fields["target"]
    if event is OpCall:
        return fields["arguments"].keywords.get("out")
    return fields.get("value") or fields.get("receiver")
