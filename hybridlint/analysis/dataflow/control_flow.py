"""The control flow graph of a scope: a node for each simple statement and each compound statement's head."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from hybridlint.analysis.dataflow.accesses import Access, AccessReader
from hybridlint.analysis.dataflow.bindings import Binding, BindingKind, bindings_of_pattern
from hybridlint.analysis.dataflow.scopes import Scope, parameters_of
from hybridlint.runtime.facts.records import record

#: Context managers that end an exception of their body, by the last name of the call.
_SWALLOWING = frozenset({"suppress", "raises", "assertRaises", "assertRaisesRegex", "ignored"})


class FlowNode:
    """A point of a function: the names that it reads and binds, and the points that may follow."""

    __slots__ = ("accesses", "interrupted", "successors")

    def __init__(self, accesses: Sequence[Access] = ()) -> None:
        self.accesses = accesses
        self.successors: list[int] = []
        #: Where control goes if the node is left in the middle, by an exception: some of its bindings are made then.
        self.interrupted: list[int] = []


@record(frozen=True, slots=True)
class FlowGraph:
    """The control flow of one scope. Node 0 is the entry, which binds the parameters, node 1 the exit."""

    nodes: list[FlowNode]
    #: The node of each statement: a compound one has its head there, the first that runs.
    first: dict[ast.stmt, int]
    #: The node at which each statement has run.
    last: dict[ast.stmt, int]
    #: The reads of names that comprehensions bind, each with its binding.
    in_comprehensions: dict[ast.Name, Binding]
    #: The nodes to which the rounds of loops come back.
    loops: set[int]


ENTRY_NODE, EXIT_NODE = 0, 1


def flow_graph(scope: Scope) -> FlowGraph:
    """Return the control flow graph of a scope."""
    builder = _Builder([Binding(a.arg, BindingKind.PARAMETER, a) for a in parameters_of(scope)])
    if isinstance(scope, ast.Lambda):
        builder.add(builder.reader.of_nodes([scope.body], None))
    else:
        builder.add_block(scope.body)
    return builder.graph()


def block_graph(block: Sequence[ast.stmt]) -> FlowGraph:
    """Return the control flow graph of some statements; those that leave a loop around them lead to the exit."""
    builder = _Builder()
    builder.add_block(block)
    return builder.graph()


@record(frozen=True, slots=True)
class _Loop:
    """A loop around the statements that are being added."""

    again: int
    behind: int


@record(frozen=True, slots=True)
class _Final:
    """A `finally` around the statements that are being added; who leaves them goes through it."""

    start: int
    end: int


class _Builder:
    """Builds the graph statement by statement; `ends` are the nodes after which the next node runs."""

    def __init__(self, parameters: Sequence[Binding] = ()) -> None:
        self.nodes = [FlowNode(parameters), FlowNode()]
        self.first: dict[ast.stmt, int] = {}
        self.last: dict[ast.stmt, int] = {}
        self.reader = AccessReader()
        self.loops: set[int] = set()
        self.ends = [ENTRY_NODE]
        self._around: list[_Loop | _Final] = []
        #: Where an exception may lead at this point.
        self._catching: list[int] = []

    def graph(self) -> FlowGraph:
        """Return the graph of what was added."""
        self.link(self.ends, EXIT_NODE)
        return FlowGraph(self.nodes, self.first, self.last, self.reader.in_comprehensions, self.loops)

    def add(self, accesses: Sequence[Access] = ()) -> int:
        """Add a node that runs next, and return it."""
        node = self.reserve(accesses)
        self.continue_at(node)
        return node

    def reserve(self, accesses: Sequence[Access] = ()) -> int:
        """Return a new node that nothing leads to yet."""
        self.nodes.append(FlowNode(accesses))
        self.nodes[-1].interrupted += self._catching
        return len(self.nodes) - 1

    def continue_at(self, node: int) -> None:
        """Let a node run next."""
        self.link(self.ends, node)
        self.ends = [node]

    def link(self, sources: Iterable[int], target: int) -> None:
        """Let control go from some nodes to another."""
        for source in sources:
            self.nodes[source].successors.append(target)

    def add_block(self, block: Sequence[ast.stmt]) -> None:
        """Add the statements of a block, one after another."""
        for statement in block:
            self._add_statement(statement)

    def _add_statement(self, statement: ast.stmt) -> None:
        match statement:
            case ast.If():
                self._add_if(statement)
            case ast.For() | ast.AsyncFor():
                self._add_for(statement)
            case ast.While():
                self._add_while(statement)
            case ast.With() | ast.AsyncWith():
                self._add_with(statement)
            case ast.Match():
                self._add_match(statement)
            case ast.Return() | ast.Raise() | ast.Break() | ast.Continue():
                self.first[statement] = self.last[statement] = self.add(self.reader.of_statement(statement))
                self._leave(statement)
            case _ if hasattr(statement, "handlers"):
                self._add_try(statement)
            case _:
                self.first[statement] = self.last[statement] = self.add(self.reader.of_statement(statement))

    def _add_head(self, statement: ast.stmt, parts: Iterable[ast.AST]) -> int:
        """Add the node of a compound statement that evaluates some expressions."""
        node = self.add(self.reader.of_nodes(parts, statement))
        self.first.setdefault(statement, node)
        return node

    def _add_if(self, statement: ast.If) -> None:
        """Add an ``if``; a long chain of ``elif`` needs no deep recursion."""
        chain, ends = [statement], []
        while len(chain[-1].orelse) == 1 and isinstance(chain[-1].orelse[0], ast.If):
            chain.append(chain[-1].orelse[0])
        for branch in chain:
            head = self._add_head(branch, [branch.test])
            self.add_block(branch.body)
            ends += self.ends
            self.ends = [head]
        self.add_block(chain[-1].orelse)
        self.ends += ends
        join = self.add()
        for branch in chain:
            self.last[branch] = join

    def _add_for(self, statement: ast.For | ast.AsyncFor) -> None:
        self._add_head(statement, [statement.iter])
        again, behind = self.add(), self.reserve()
        self.add(self.reader.of_target(statement.target, BindingKind.LOOP, statement, source=statement.iter))
        self._add_loop_body(statement, _Loop(again, behind))
        self.ends = [again]
        self._end_loop(statement, behind)

    def _add_while(self, statement: ast.While) -> None:
        test = self._add_head(statement, [statement.test])
        behind = self.reserve()
        self._add_loop_body(statement, _Loop(test, behind))
        endless = isinstance(statement.test, ast.Constant) and bool(statement.test.value)
        self.ends = [] if endless else [test]
        self._end_loop(statement, behind)

    def _add_loop_body(self, statement: ast.For | ast.AsyncFor | ast.While, loop: _Loop) -> None:
        self.loops.add(loop.again)
        self._around.append(loop)
        self.add_block(statement.body)
        self._around.pop()
        self.link(self.ends, loop.again)

    def _end_loop(self, statement: ast.For | ast.AsyncFor | ast.While, behind: int) -> None:
        self.add_block(statement.orelse)
        self.continue_at(behind)
        self.last[statement] = behind

    def _add_with(self, statement: ast.With | ast.AsyncWith) -> None:
        swallows = any(_swallows(item.context_expr) for item in statement.items)
        behind = self.reserve()
        for item in statement.items:
            accesses = self.reader.of_nodes([item.context_expr], statement)
            if item.optional_vars is not None:
                kind, source = BindingKind.WITH, item.context_expr
                accesses += self.reader.of_target(item.optional_vars, kind, statement, source=source)
            self.first.setdefault(statement, self.add(accesses))
        self._add_protected(statement.body, [behind] if swallows else [])
        self.continue_at(behind)
        self.last[statement] = behind

    def _add_protected(self, block: Sequence[ast.stmt], catching: Sequence[int]) -> None:
        """Add a block whose exceptions lead to some nodes, besides those that catch them further out."""
        outer = self._catching
        self._catching = [*outer, *catching]
        self.add_block(block)
        self._catching = outer

    def _add_try(self, statement: ast.stmt) -> None:
        """Add a ``try``: an exception may leave its body at any node, with some of the node's bindings made."""
        assert isinstance(statement, ast.Try) or hasattr(statement, "handlers")
        body, handlers = statement.body, statement.handlers  # type: ignore[attr-defined]
        orelse, last = statement.orelse, statement.finalbody  # type: ignore[attr-defined]
        self.first[statement] = self.add()
        heads = [self.reserve() for _ in handlers]
        final = _Final(self.reserve(), self.reserve()) if last else None
        if final is not None:
            self._around.append(final)
        ending = [] if final is None else [final.start]
        self._add_protected(body, [*heads, *ending])
        self._add_protected(orelse, ending)
        ends = self.ends
        for head, handler in zip(heads, handlers, strict=True):
            self.ends = [head]
            bound = [] if handler.name is None else [Binding(handler.name, BindingKind.EXCEPT, handler, statement)]
            read = [] if handler.type is None else self.reader.of_nodes([handler.type], statement)
            self.nodes[head].accesses = [*read, *bound]
            self._add_protected(handler.body, ending)
            ends = [*ends, *self.ends]
        self.ends = ends
        if final is not None:
            self._around.pop()
            self._add_final(last, final)
        self.last[statement] = self.add()

    def _add_final(self, block: Sequence[ast.stmt], final: _Final) -> None:
        """Add the block of a ``finally``; what ran before it says whether the code behind it runs."""
        completes = bool(self.ends)
        self.continue_at(final.start)
        self.ends = [final.start]
        self.add_block(block)
        self.continue_at(final.end)
        self.ends = [final.end] if completes else []

    def _add_match(self, statement: ast.Match) -> None:
        self._add_head(statement, [statement.subject])
        behind = self.reserve()
        for case in statement.cases:
            captured = [*bindings_of_pattern(case.pattern, statement, statement.subject)]
            node = self.add([*self.reader.of_nodes([case.pattern], statement), *captured])
            following = self.reserve()
            if not _always_matches(case.pattern):
                self.nodes[node].interrupted.append(following)
            if case.guard is not None:
                guard = self.add(self.reader.of_nodes([case.guard], statement))
                self.nodes[guard].successors.append(following)
            self.add_block(case.body)
            self.link(self.ends, behind)
            self.ends = [following]
        self.continue_at(behind)
        self.last[statement] = behind

    def _leave(self, statement: ast.Return | ast.Raise | ast.Break | ast.Continue) -> None:
        """Let control go where a statement sends it, through each `finally` on its way."""
        for around in reversed(self._around):
            if isinstance(around, _Final):
                self.continue_at(around.start)
                self.ends = [around.end]
            elif isinstance(statement, ast.Break | ast.Continue):
                self.link(self.ends, around.behind if isinstance(statement, ast.Break) else around.again)
                self.ends = []
                return
        if not isinstance(statement, ast.Raise) or not self._catching:
            self.link(self.ends, EXIT_NODE)
        self.ends = []


def _swallows(manager: ast.expr) -> bool:
    """Return whether a context manager ends exceptions, by its name."""
    match manager:
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name in _SWALLOWING
        case _:
            return False


def _always_matches(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _always_matches(inner)
        case ast.MatchOr(patterns=[*_, last]):
            return _always_matches(last)
        case _:
            return False
