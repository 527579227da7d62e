"""A timed run names each loop of native code, and each operator that has none."""

from __future__ import annotations

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from tests.runtime.compiled.jit.engines import compiled, draw, each_target, engine, graph_of, matches, native

X = sym.var("x")


@native
@each_target
def test_loops_and_operators_in_the_order_of_execution(target: TargetProcessor) -> None:
    graph = graph_of(sym.sum(sym.sort(sym.tanh(X) + 1), axis=1), {"x": (4, 6)})
    executor = compiled(engine(target), graph)
    found = executor.timed(draw(graph), 2)
    assert [(part.step, part.what) for part in found] == [
        (0, "loop, 4 x 6: tanh, add"),
        (1, "sort"),
        (2, "add over axes 1 of 4 x 6"),
    ]
    assert all(part.seconds > 0 for part in found)


@native
@each_target
def test_a_timed_run_changes_nothing(target: TargetProcessor) -> None:
    graph = graph_of(sym.FullyConnected(sym.relu(X), num_hidden=3), {"x": (4, 6)})
    executor = compiled(engine(target), graph, static_alloc=True)
    executor.timed(draw(graph, 1), 2)
    matches(executor, graph)
