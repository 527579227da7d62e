"""``net.explain()``: what a compiled block runs."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.gluon import HybridBlock, nn


def _network() -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu", in_units=3), nn.Dense(2, in_units=4))
    net.initialize()
    net.hybridize(backend="numpy")
    return net


def test_nothing_is_compiled_before_the_first_call() -> None:
    with pytest.raises(RuntimeError, match="is not compiled yet: hybridize it, and call it once"):
        _network().explain()


def test_a_graph_for_each_shape_and_mode() -> None:
    net = _network()
    net(nd.ones((2, 3)))
    net(nd.ones((5, 3)))
    with autograd.train_mode():
        net(nd.ones((2, 3)))
    graphs = net.explain().graphs
    assert [(graph.use, graph.inputs[0][1]) for graph in graphs] == [
        ("predicting", (2, 3)),
        ("predicting", (5, 3)),
        ("training, without gradients", (2, 3)),
    ]


def test_steps_and_buffers_are_those_of_the_executor() -> None:
    net = _network()
    net(nd.ones((2, 3)))
    (graph,) = net.explain().graphs
    lines = str(graph).splitlines()
    assert lines[0].startswith("predicting on data (2, 3) float32")
    count = sum(len(step.nodes) for step in graph.executor.steps)
    assert lines[1].startswith(f"  numpy: {count} operators in {len(graph.executor.steps)} steps; ")
    assert len(lines) == 2 + len(graph.executor.steps)
    assert "FullyConnected" in lines[2]


def test_gradients_have_a_graph_of_their_own() -> None:
    net = _network()
    with autograd.record():
        loss = net(nd.ones((2, 3))).sum()
    assert [graph.use for graph in net.explain().graphs] == ["recorded, in train mode"]
    loss.backward()
    assert [graph.use for graph in net.explain().graphs] == ["recorded, in train mode", "its gradient"]


def test_what_runs_operator_by_operator_is_said() -> None:
    class Masked(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.contrib.boolean_mask(x, x)

    net = Masked()
    net.hybridize()
    net(nd.array([1.0, 0.0, 2.0]))
    assert str(net.explain()).endswith("is not run as a graph: the shape of a result depends on values")


def test_a_step_that_the_chosen_engine_cannot_do_has_a_reason() -> None:
    pytest.importorskip("llvmlite")

    class Sorted(HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.sort(F.exp(x) + 1, axis=1) * 2

    net = Sorted()
    net.hybridize(backend="jit")
    net(nd.ones((2, 3)))
    (graph,) = net.explain().graphs
    assert [step.engine for step in graph.executor.steps] == ["jit", "numpy", "jit"]
    lines = [line.strip() for line in str(graph).splitlines()]
    assert lines[2] == graph.executor.compiling
    assert lines[5] == graph.executor.steps[1].reason == "no native code: the function sort"


def test_names_stand_for_blocks() -> None:
    net = _network()
    net(nd.ones((2, 3)))
    assert str(net.explain()).startswith(f"{net.name}: 1 compiled graph\n\n")
    assert isinstance(net, gluon.Block)
