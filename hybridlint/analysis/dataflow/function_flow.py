"""The data flow of one function: the questions that rules, fixers, proofs and editors ask about its names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache

from hybridlint.analysis.dataflow.accesses import Access, Closure
from hybridlint.analysis.dataflow.bindings import Binding, BindingKind
from hybridlint.analysis.dataflow.control_flow import EXIT_NODE, FlowGraph, flow_graph
from hybridlint.analysis.dataflow.liveness import Liveness
from hybridlint.analysis.dataflow.reaching import ReachingDefinitions
from hybridlint.analysis.dataflow.scopes import Scope, names_of
from hybridlint.analysis.dataflow.versions import NameVersion, NameVersions
from hybridlint.text.syntax import children, walk

_NO_NODES: tuple[ast.Name, ...] = ()


@lru_cache(maxsize=256)
def flow_of(scope: Scope) -> FunctionFlow:
    """Return the data flow of a function, class body or module; each part is computed when first asked for."""
    return FunctionFlow(scope)


class FunctionFlow:
    """Bindings and reads of the names of one scope.

    Names that it does not bind have no bindings here: they belong to a scope around. Reads in functions and class
    bodies within the scope count among the reads of its names, since they may happen whenever these are called.
    """

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self._names = names_of(scope)

    @property
    def bindings(self) -> Sequence[Binding]:
        """All bindings of the scope, without those of comprehensions."""
        return self._reaching.bindings

    def bindings_of(self, name: str) -> Sequence[Binding]:
        """Return the bindings of a name."""
        return self._bindings_by_name.get(name, ())

    def rebindings_of(self, name: str) -> Sequence[Binding]:
        """Return the bindings of a name, except its binding as a parameter."""
        return [b for b in self.bindings_of(name) if b.kind is not BindingKind.PARAMETER]

    def reads_of(self, name: str) -> Sequence[ast.Name]:
        """Return the reads of a name of the scope, in closures too. The target of ``x += 1`` is read and bound."""
        return self._reads_by_name.get(name, _NO_NODES)

    def reaching(self, read: ast.Name) -> Sequence[Binding]:
        """Return the bindings that a read may see. None reach a name that a scope around binds."""
        local = self._graph.in_comprehensions.get(read)
        if local is not None:
            return (local,)
        return tuple(self._reaching.of_bits(self._reaching.of_reads.get(read, 0)))

    def binding(self, read: ast.expr) -> Binding | None:
        """Return the binding whose value a read always sees, None if there are several or none."""
        bindings = self.reaching(read) if isinstance(read, ast.Name) else ()
        return bindings[0] if len(bindings) == 1 else None

    def uses(self, binding: Binding) -> Sequence[ast.Name]:
        """Return the reads that may see a binding, in closures too."""
        return self._uses.get(binding, _NO_NODES)

    def bindings_after(self, statement: ast.stmt, name: str) -> Sequence[Binding]:
        """Return the bindings of a name that it may have when a statement has run."""
        place = self._graph.last[statement]
        return tuple(self._reaching.of_bits(self._reaching.after(place, name)))

    def live_after(self, node: ast.stmt | ast.expr, name: str) -> bool:
        """Return whether code may read the value of a name after a node of the scope is evaluated.

        A name that a closure reads or that outlives the scope is always live.
        """
        if isinstance(node, ast.stmt):
            return name in self._liveness.after[self._graph.last[node]]
        place, behind = self._place_of(node)
        return name in self._liveness.within(place, behind)

    def live_names_after(self, statement: ast.stmt) -> frozenset[str]:
        """Return the names that code may read after a statement has run.

        A statement outside of the code means the end of the code.
        """
        return self._liveness.after[self._graph.last.get(statement, EXIT_NODE)]

    def version(self, read: ast.Name) -> NameVersion | None:
        """Return the version of a name that a read sees; None in closures, and for names bound from elsewhere.

        Two reads of one version see the same value, unless a round of a loop that binds the name lies between them. A
        name that is not in the code is taken to be read where the statement at its position begins.
        """
        place = self._place_of_read.get(read)
        if place is not None:
            return self._versions.at(place, read)
        if read in self._reaching.of_reads or read in self._graph.in_comprehensions:
            return None
        statement = self.statement_at(read)
        return None if statement is None else self.version_before(statement, read.id)

    def version_before(self, statement: ast.stmt, name: str) -> NameVersion | None:
        """Return the version of a name with which a statement starts to run."""
        return self._versions.before(self._graph.first[statement], name)

    def statement_at(self, node: ast.expr) -> ast.stmt | None:
        """Return the innermost statement of the scope at the position of a node."""
        position = (node.lineno, node.col_offset)
        around = [
            statement
            for statement in self._graph.first
            if (statement.lineno, statement.col_offset)
            <= position
            <= (statement.end_lineno or 0, statement.end_col_offset or 0)
        ]
        return max(around, key=lambda statement: (statement.lineno, statement.col_offset), default=None)

    def is_captured(self, name: str) -> bool:
        """Return whether functions or class bodies within the scope read a name of it or bind it anew."""
        return name in self._captured or name in self._names.stored_within

    def may_run_after(self, first: ast.stmt, later: ast.stmt) -> bool:
        """Return whether a statement may start after another statement has run. In a loop, both may be the same."""
        return self._graph.first[later] in self._reached_from(self._graph.last[first])

    @cached_property
    def _graph(self) -> FlowGraph:
        return flow_graph(self.scope)

    @cached_property
    def _reaching(self) -> ReachingDefinitions:
        return ReachingDefinitions(self._graph, self._names)

    @cached_property
    def _liveness(self) -> Liveness:
        outliving = self._names.declared.keys() | self._names.stored_within.keys() | self._captured
        if not isinstance(self.scope, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            outliving |= self._names.bound
        return Liveness(self._graph, frozenset(outliving))

    @cached_property
    def _versions(self) -> NameVersions:
        return NameVersions(self._graph, frozenset({*self._names.declared, *self._names.stored_within}))

    @cached_property
    def _place_of_read(self) -> Mapping[ast.Name, int]:
        nodes = enumerate(self._graph.nodes)
        return {read: place for place, node in nodes for read in node.accesses if isinstance(read, ast.Name)}

    @cached_property
    def _captured(self) -> frozenset[str]:
        closures = (a for node in self._graph.nodes for a in node.accesses if isinstance(a, Closure))
        return frozenset(name for closure in closures for name in closure.reads)

    @cached_property
    def _bindings_by_name(self) -> Mapping[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        for binding in self.bindings:
            found.setdefault(binding.name, []).append(binding)
        return found

    @cached_property
    def _reads_by_name(self) -> Mapping[str, list[ast.Name]]:
        found: dict[str, list[ast.Name]] = {}
        for read in self._reaching.of_reads:
            found.setdefault(read.id, []).append(read)
        return found

    @cached_property
    def _uses(self) -> Mapping[Binding, list[ast.Name]]:
        found: dict[Binding, list[ast.Name]] = {}
        for read, bits in self._reaching.of_reads.items():
            for binding in self._reaching.of_bits(bits):
                found.setdefault(binding, []).append(read)
        for read, binding in self._graph.in_comprehensions.items():
            found.setdefault(binding, []).append(read)
        return found

    def _place_of(self, node: ast.expr) -> tuple[int, Sequence[Access]]:
        """Return the graph's node that evaluates an expression, and the accesses behind the expression there."""
        inside = {id(part) for part in walk(node)}
        for place, flow_node in enumerate(self._graph.nodes):
            accesses = flow_node.accesses
            own = [k for k, access in enumerate(accesses) if id(_node_of(access)) in inside]
            if own:
                return place, accesses[own[-1] + 1 :]
        statement = self._statement_around(node)
        place = self._graph.first[statement]
        return place, self._graph.nodes[place].accesses

    def _statement_around(self, node: ast.AST) -> ast.stmt:
        """Return the innermost statement of the scope around an expression that reads no name."""
        return next(s for s in reversed([*self._graph.first]) if any(part is node for part in _own_parts(s)))

    def _reached_from(self, place: int) -> frozenset[int]:
        known = self._reached.get(place)
        if known is None:
            found: set[int] = set()
            pending = [place]
            while pending:
                node = self._graph.nodes[pending.pop()]
                new = {*node.successors, *node.interrupted} - found
                found |= new
                pending += new
            known = self._reached[place] = frozenset(found)
        return known

    @cached_property
    def _reached(self) -> dict[int, frozenset[int]]:
        return {}


def _node_of(access: Access) -> ast.AST:
    return access if isinstance(access, ast.Name) else access.node


def _own_parts(statement: ast.stmt) -> Iterable[ast.AST]:
    """Return the nodes of a statement, without those of statements within it."""
    found: list[ast.AST] = [statement]
    for node in found:
        found += [part for part in children(node) if not isinstance(part, ast.stmt)]
    return found
