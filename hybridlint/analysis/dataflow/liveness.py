"""Liveness: the names that code may read after a point of a function, before anything binds them anew."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from hybridlint.analysis.dataflow.accesses import Access, Closure
from hybridlint.analysis.dataflow.bindings import Binding, BindingKind
from hybridlint.analysis.dataflow.control_flow import EXIT_NODE, FlowGraph


class Liveness:
    """The live names of one scope at each node of its graph; `always` are names that others may read at any time."""

    def __init__(self, graph: FlowGraph, always: frozenset[str]) -> None:
        self._graph = graph
        self._always = always
        self.before = [always] * len(graph.nodes)
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
