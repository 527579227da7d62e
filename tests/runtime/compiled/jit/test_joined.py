"""What is joined: its parts are computed where it is, and what looks at parts reads them where they were before."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, kernels, matches, native


@native
@each_target
@pytest.mark.parametrize(("begin", "end"), [(0, 5), (1, 4), (5, 12), (4, 6), (0, 12)])
def test_a_part_is_read_where_it_was(begin: int, end: int, target: TargetProcessor) -> None:
    """What lies in several parts needs copies of both."""
    joined = sym.concat(sym.var("x"), sym.var("y"), dim=1)
    graph = graph_of(sym.tanh(sym.slice_axis(joined, axis=1, begin=begin, end=end)), {"x": (3, 5), "y": (3, 7)})
    executor = compiled(engine(target), graph)
    assert kernels(executor) == {"Loop": 3 if begin < 5 < end else 1}
    matches(executor, graph)


@native
@each_target
def test_rows_of_a_part_may_be_turned_and_spread(target: TargetProcessor) -> None:
    joined = sym.concat(sym.var("x"), sym.var("y"), dim=0)
    part = sym.reverse(sym.slice_axis(joined, axis=0, begin=4, end=10), axis=0)
    graph = graph_of(sym.transpose(sym.reshape(part, shape=(2, 3, 5)), axes=(1, 0, 2)), {"x": (4, 5), "y": (8, 5)})
    executor = compiled(engine(target), graph)
    assert sum(kernels(executor).values()) == 1
    matches(executor, graph)


@native
def test_weights_of_a_recurrent_layer_are_packed_where_they_are() -> None:
    """The vector of all its parameters, which its operator takes, is never made."""
    layer = gluon.rnn.LSTM(6, input_size=4)
    layer.initialize()
    x, states = nd.random.normal(shape=(5, 3, 4)), layer.begin_state(batch_size=3)
    expected = layer(x, states)[0].asnumpy()
    layer.hybridize(backend="jit")
    np.testing.assert_allclose(layer(x, states)[0].asnumpy(), expected, rtol=1e-5, atol=1e-6)
    (graph,) = layer.explain().graphs
    assert isinstance(graph.executor, NativeExecutor)
    (segment,) = (work for work in graph.executor.work if isinstance(work, NativeSegment))
    assert len(segment.packs) == kernels(graph.executor)["Pack"] == 2


def _dense(name: str) -> sym.Symbol:
    return sym.FullyConnected(sym.var("x"), sym.var(name), no_bias=True, num_hidden=5)


@native
@each_target
def test_parts_of_a_result_are_computed_there(target: TargetProcessor) -> None:
    """One of them is read there, too; what is given has to be copied, and zeros are written where they belong."""
    first, second = _dense("v"), sym.tanh(sym.sum(sym.var("y"), axis=2))
    graph = graph_of(
        sym.Group([sym.concat(first, second, sym.var("z"), sym.zeros((3, 2)), dim=1), sym.exp(first)]),
        {"x": (3, 4), "v": (5, 4), "y": (3, 7, 2), "z": (3, 6)},
    )
    executor = compiled(engine(target), graph)
    assert kernels(executor) == {"Pack": 1, "NativeProduct": 1, "Fold": 1, "Loop": 4}
    matches(executor, graph)


@native
@each_target
def test_parts_that_get_a_new_axis_are_computed_in_place(target: TargetProcessor) -> None:
    """What is stacked along another axis as well, and what stands there twice, is copied from one place."""
    first, second = _dense("v"), _dense("w")
    rows, columns = sym.stack(first, second, first, axis=0), sym.stack(second, second, axis=1)
    graph = graph_of(sym.Group([rows, columns]), {"x": (3, 4), "v": (5, 4), "w": (5, 4)})
    executor = compiled(engine(target), graph)
    assert kernels(executor) == {"Pack": 2, "NativeProduct": 2, "Loop": 3}
    matches(executor, graph)


@native
@each_target
def test_parts_that_are_written_in_another_order_are_copied(target: TargetProcessor) -> None:
    """The rows of a product stand next to each other: its transpose is copied, squares at a time."""
    parts = [sym.transpose(_dense("v")), sym.reverse(_dense("w"), axis=1)]
    graph = graph_of(sym.concat(*parts, dim=1, num_args=2), {"x": (5, 4), "v": (5, 4), "w": (5, 4)})
    executor = compiled(engine(target), graph)
    assert kernels(executor) == {"Pack": 2, "NativeProduct": 2, "Loop": 2}
    matches(executor, graph)


@native
@each_target
def test_what_is_joined_for_a_dense_layer_is_computed_in_its_rows(target: TargetProcessor) -> None:
    """The steps of a layer are the rows of the next one's product."""
    steps = sym.stack(_dense("v"), _dense("w"), axis=0)
    flat = sym.reshape(steps, shape=(-1, 5))
    graph = graph_of(
        sym.FullyConnected(flat, sym.var("u"), no_bias=True, num_hidden=2),
        {"x": (3, 4), "v": (5, 4), "w": (5, 4), "u": (2, 5)},
    )
    executor = compiled(engine(target), graph)
    assert kernels(executor) == {"Pack": 3, "NativeProduct": 3}
    matches(executor, graph)
