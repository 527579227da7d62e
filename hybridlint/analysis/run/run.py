"""One analysis of a file: its events and records, its limits, and its caches."""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import field

from hybridlint.analysis.model.events import CompiledCall, Event, LostName
from hybridlint.analysis.model.execution_log import ExecutionLog
from hybridlint.analysis.model.values import Hook, ProjectClass, ScopeOf, SelfRef, Value
from hybridlint.analysis.project.instances import Instance
from hybridlint.analysis.project.program import Project, ProjectFile
from hybridlint.analysis.run.block_contents import BlockContents
from hybridlint.analysis.run.call_result_cache import CallResultCache
from hybridlint.analysis.run.call_summary import CallSummary
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.numbering import Number
from hybridlint.analysis.run.recorded_call import RecordedCall
from hybridlint.analysis.run.reporting import Reporting
from hybridlint.analysis.run.shared import Shared
from hybridlint.runtime.facts.declared import DeclaredShapes
from hybridlint.runtime.facts.dims import Dim
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import Shape

_MOST_CALLS = 12
_MOST_STEPS = 40_000
#: The steps for all blocks and functions of a file; what is begun after them is not entered.
_MOST_IN_ALL = 400_000


@record(eq=False, slots=True)
class Budget:
    """The limit on the interpreter's steps, and where it was reached."""

    steps: int = 0
    #: The step limit; what lies beyond it is unknown.
    most_steps: int = _MOST_STEPS
    #: The statement of the entered function at which the limit was reached.
    cut: ast.stmt | None = None
    #: The steps of what has ended.
    before: int = 0
    #: The number of times that a limit kept the interpreter out of a function.
    refused: int = 0

    @property
    def exhausted(self) -> bool:
        """Whether the step limit is reached."""
        return self.steps > self.most_steps

    @property
    def busy(self) -> bool:
        """Whether the run has used many steps, so that it skips refinements that only add precision."""
        return self.steps > self.most_steps // 4

    def begin(self) -> None:
        """Begin to count the steps of another block or of a separate function."""
        self.before += self.steps
        self.steps, self.cut = 0, None
        if self.before > _MOST_IN_ALL:
            self.most_steps = 0

    @contextmanager
    def afresh(self) -> Iterator[None]:
        """Give the code inside a step budget of its own, as for a whole analysis."""
        outer, self.steps = self.steps, 0
        try:
            yield
        finally:
            self.before += self.steps
            self.steps = outer


@record(eq=False, slots=True)
class EnclosingScopes:
    """The functions and scopes around the interpreter's position."""

    #: The entered functions, outermost first.
    stack: list[ast.AST] = field(default_factory=list)
    #: Functions that control flow operators run inside, with the operator's name.
    bodies: Mapping[ast.AST, str] = field(default_factory=dict)
    #: The names of the scopes, outermost first.
    scopes: list[str] = field(default_factory=list)
    #: What was put on the innermost stack of scopes that a ``with`` has entered, each with its place; None outside.
    stacked: list[tuple[ScopeOf, ast.AST]] | None = None

    def left(self) -> EnclosingScopes:
        """Return the surroundings of code that runs elsewhere, but still counts as called from here."""
        return EnclosingScopes(self.stack)

    def copy(self) -> EnclosingScopes:
        """Return the surroundings as they are now."""
        return EnclosingScopes(list(self.stack), self.bodies, list(self.scopes), self.stacked)


@record(frozen=True, slots=True)
class StoredValue:
    """An attribute that code stores on an object: the object, the attribute's name, the new value and the statement."""

    owner: Value
    name: str
    value: Value
    place: ast.AST


@record(frozen=True, slots=True)
class HookedSetting:
    """An attribute of a class's blocks that a hook stores, with the statement and the name of its function."""

    info: ProjectClass
    name: str
    place: ast.AST
    by: str


@record(eq=False, slots=True)
class Blocks:
    """Facts of the analysis about the blocks that the file creates."""

    #: The instance of each class.
    instances: dict[ProjectClass, Instance] = field(default_factory=dict)
    #: The classes whose instances are being built.
    unfinished: set[ProjectClass] = field(default_factory=set)
    #: The blocks under construction, outermost first.
    constructed: list[Instance] = field(default_factory=list)
    #: Those asked for since the innermost construction was begun, in order.
    asked: dict[ProjectClass, None] = field(default_factory=dict)
    parts: BlockContents = field(default_factory=BlockContents)
    #: Whether a container of blocks maps one tensor to one, by the call that built it and its class.
    single: dict[tuple[ast.AST | None, ProjectClass | None], bool] = field(default_factory=dict)
    #: Whether a part of a container may behave differently in train mode, and whether it may move statistics on.
    modal: dict[tuple[ast.AST | None, ProjectClass | None], tuple[bool, bool]] = field(default_factory=dict)
    #: The attributes that the parts of a container store in a call of it, as `Trail.state_stored` has them.
    stored_inside: dict[tuple[ast.AST | None, ProjectClass | None], Set[tuple[int, str]]] = field(default_factory=dict)
    #: The numbers of arrays and unknown sizes that ``__init__`` left on blocks.
    kept: Set[Number] = frozenset()
    #: The methods of blocks that run eagerly at each call, with their classes.
    eager: Sequence[tuple[ast.FunctionDef, ProjectClass]] = ()
    #: The calls that built the compiled children around which the code runs that is interpreted; None for traced code.
    around: Set[ast.AST] | None = None
    #: The objects that represent those of plain classes which blocks were given; None while one is being built.
    presumed: dict[ProjectClass, SelfRef | None] = field(default_factory=dict)
    #: The attributes that the interpreted code stores, if someone asks.
    stored: list[StoredValue] | None = None
    #: The hooks that the interpreted code attaches outside of all constructions, if someone asks.
    attached: list[Hook] | None = None
    #: The settings that hooks of the file's blocks store; None before anybody has asked.
    hooked: list[HookedSetting] | None = None
    #: The calls of those children.
    around_calls: list[CompiledCall] = field(default_factory=list)
    #: The reads of names that such calls take from namedtuples, if someone asks.
    lost_names: list[LostName] | None = None
    #: The unknown size of the first axis of each shape of unknown rank, which layers keep.
    batches: dict[int, Dim] = field(default_factory=dict)
    #: How many dimensions each shape of unknown rank has at least.
    least_ranks: dict[int, int] = field(default_factory=dict)
    #: Shapes of inputs observed in a real run, by class and name.
    recorded: Mapping[str, Mapping[str, Shape]] = field(default_factory=dict)


@record(eq=False, slots=True)
class Reuse:
    """Caches: results that need not be computed again."""

    memory: CallResultCache = field(default_factory=CallResultCache)
    #: Interpreted calls of child blocks, by everything that they depend on.
    repeats: dict[Hashable, list[RecordedCall]] = field(default_factory=dict)
    #: Interpreted calls of the helpers of one block, by everything that they depend on.
    summaries: dict[Hashable, list[CallSummary]] = field(default_factory=dict)
    #: Whether a call has changed an object that outlives it, so that the next call may behave differently.
    changed: bool = False
    #: The names that each function computes from its arguments.
    fed: dict[ast.AST, frozenset[str]] = field(default_factory=dict)


@record(eq=False)
class AnalysisRun:
    """One analysis of a file."""

    project: Project
    module: ProjectFile
    events: list[Event] = field(default_factory=list)
    seen: ExecutionLog = field(default_factory=ExecutionLog)
    trail: EffectLog = field(default_factory=EffectLog)
    shared: Shared = field(default_factory=Shared)
    #: The number of objects that were given a number.
    tokens: int = 0
    #: Names of objects whose attributes may be among a flow's names.
    owners: set[str] = field(default_factory=lambda: {"self"})
    budget: Budget = field(default_factory=Budget)
    reporting: Reporting = field(default_factory=Reporting)
    surroundings: EnclosingScopes = field(default_factory=EnclosingScopes)
    blocks: Blocks = field(default_factory=Blocks)
    reuse: Reuse = field(default_factory=Reuse)
    #: What the project declares of operators of its own, by their dotted names below F.
    declared: Mapping[str, DeclaredShapes] = field(default_factory=dict)

    def begin(self) -> None:
        """Begin the analysis of another block or of a separate function."""
        self.budget.begin()
        self.reuse.summaries.clear()
        self.trail.state_read.clear()
        self.trail.state_stored.clear()

    def may_repeat(self, call: RecordedCall) -> bool:
        """Return whether the cached result of a call may be used here.

        Interpreting it again would exceed no limit, and meet the same of what it depends on around it.
        """
        budget, stack = self.budget, self.surroundings.stack
        after = budget.steps + call.steps
        bounded = budget.busy is call.busy is (after > budget.most_steps // 4) and after <= budget.most_steps
        if not (bounded and self.reaches(call.depth) and call.trail.functions.isdisjoint(stack)):
            return False
        if call.trail.asks_scopes and call.scopes != tuple(self.surroundings.scopes):
            return False
        return not call.trail.asks_loops or call.loops == self.reporting.unrolled

    def scopes(self) -> Sequence[str]:
        """Return the names of the scopes around the position, outermost first, for code that depends on them."""
        self.trail.asks_scopes = True
        return self.surroundings.scopes

    def loops(self) -> int:
        """Return the number of unrolled loops around the position, for code that depends on it."""
        self.trail.asks_loops = True
        return self.reporting.unrolled

    def reaches(self, depth: int) -> bool:
        """Return whether calls may be nested this much deeper than here."""
        return len(self.surroundings.stack) + depth < _MOST_CALLS

    def may_enter(self, node: ast.AST) -> bool:
        """Return whether the interpreter may enter a function: no recursion, and a call depth within the limit."""
        stack = self.surroundings.stack
        may = node not in stack and len(stack) < _MOST_CALLS and not self.budget.exhausted
        self.budget.refused += not may
        self.trail.functions.add(node)
        self.trail.depth = max(self.trail.depth, len(stack))
        return may

    def token(self) -> int:
        """Return a new number that identifies an object."""
        self.tokens += 1
        return self.tokens
