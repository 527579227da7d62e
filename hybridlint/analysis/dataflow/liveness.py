"""Liveness: the names that code may read after a point of a function, before anything binds them anew."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from hybridlint.analysis.dataflow.accesses import Access, Closure
from hybridlint.analysis.dataflow.bindings import Binding, BindingKind
from hybridlint.analysis.dataflow.control_flow import ENTRY_NODE, EXIT_NODE, FlowGraph, block_graph


class Liveness:
    """The live names of one scope at each node of its graph.

    Others may read the names in `always` at any time, and those in `at_exit` when the scope has run.
    """

    def __init__(
        self, graph: FlowGraph, always: frozenset[str] = frozenset(), at_exit: frozenset[str] = frozenset()
    ) -> None:
        self._graph = graph
        self._always = always
        self.before = [always] * len(graph.nodes)
        self.before[EXIT_NODE] = always | at_exit
        self.after = [always] * len(graph.nodes)
        self._solve()

    def within(self, place: int, accesses: Sequence[Access]) -> frozenset[str]:
        """Return the names that are live where only the given last accesses of a node are still to come."""
        return live_before(accesses, self.after[place] | self._interrupted(place)) | self._always

    def _interrupted(self, place: int) -> frozenset[str]:
        targets = self._graph.nodes[place].interrupted
        return frozenset().union(*(self.before[target] for target in targets))

    def _solve(self) -> None:
        nodes = self._graph.nodes
        sources: list[list[int]] = [[] for _ in nodes]
        for place, node in enumerate(nodes):
            for target in (*node.successors, *node.interrupted):
                sources[target].append(place)
        pending = [*range(len(nodes))]
        waiting = [True] * len(nodes)
        while pending:
            place = pending.pop()
            waiting[place] = False
            if place == EXIT_NODE:
                continue
            self.after[place] = self._always.union(*(self.before[t] for t in nodes[place].successors))
            before = live_before(nodes[place].accesses, self.after[place]) | self._interrupted(place)
            if before == self.before[place]:
                continue
            self.before[place] = before
            for source in sources[place]:
                if not waiting[source]:
                    waiting[source] = True
                    pending.append(source)


def live_before_block(block: Sequence[ast.stmt], after: frozenset[str] = frozenset()) -> frozenset[str]:
    """Return the names that are live before the statements of a block if those in `after` are live behind it.

    With nothing live behind it, these are the names that the block reads before it surely binds them.
    """
    return Liveness(block_graph(block), at_exit=after).before[ENTRY_NODE]


def live_before(accesses: Sequence[Access], after: Iterable[str]) -> frozenset[str]:
    """Return the names that are live before some accesses if those in `after` are live behind them."""
    live = set(after)
    for access in reversed(accesses):
        match access:
            case Binding(name=name, kind=kind, certain=certain):
                if certain:
                    live.discard(name)
                if kind is BindingKind.DELETION:
                    # What is deleted has to be bound.
                    live.add(name)
            case Closure(reads=reads):
                live.update(reads)
            case ast.Name(id=name):
                live.add(name)
    return frozenset(live)
