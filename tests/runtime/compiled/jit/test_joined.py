"""Parts of what was joined: they are read where they were before, so that what is only taken apart is never joined."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.segment import Segment
from hybridlint.runtime.compiled.engines.jit.target import Target
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, kernels, matches, native


@native
@each_target
@pytest.mark.parametrize(("begin", "end"), [(0, 5), (1, 4), (5, 12), (4, 6), (0, 12)])
def test_a_part_is_read_where_it_was(begin: int, end: int, target: Target) -> None:
    """What lies in several parts needs copies of both."""
    joined = sym.concat(sym.var("x"), sym.var("y"), dim=1)
    graph = graph_of(sym.tanh(sym.slice_axis(joined, axis=1, begin=begin, end=end)), {"x": (3, 5), "y": (3, 7)})
    executor = compiled(engine(target), graph)
    assert kernels(executor) == {"Loop": 3 if begin < 5 < end else 1}
    matches(executor, graph)


@native
@each_target
def test_rows_of_a_part_may_be_turned_and_spread(target: Target) -> None:
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
    (segment,) = (work for work in graph.executor.work if isinstance(work, Segment))
    assert len(segment.packs) == kernels(graph.executor)["Pack"] == 2
