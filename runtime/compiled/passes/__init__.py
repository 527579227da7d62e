"""Passes: pure functions from graph to graph, in the order of execution."""

from __future__ import annotations

from collections.abc import Callable

from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.passes.common_subexpressions import merge_common_subexpressions
from hybridlint.runtime.compiled.passes.constant_folding import fold_constants
from hybridlint.runtime.compiled.passes.dead_code import remove_dead_code

PASSES: tuple[Callable[[Graph], Graph], ...] = (
    remove_dead_code,
    fold_constants,
    merge_common_subexpressions,
    remove_dead_code,
)


def optimize(graph: Graph) -> Graph:
    """Run all passes, checking the graph before and after. Raises GraphError if it is broken, or a pass broke it."""
    graph.check()
    for transform in PASSES:
        graph = transform(graph)
    graph.check()
    return graph
