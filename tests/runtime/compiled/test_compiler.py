"""What happens between a trace and its results: passes, the memory plan, the executor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pytest

from hybridlint.runtime import autograd, nd, random, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.graph import Graph, GraphError
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.passes.common_subexpressions import merge_common_subexpressions
from hybridlint.runtime.compiled.passes.constant_folding import fold_constants
from hybridlint.runtime.compiled.passes.dead_code import remove_dead_code
from hybridlint.runtime.compiled.plan import make_plan
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.symbol.symbol import Symbol
from tests.closeness import assert_same_numbers

X: Mapping[str, TensorType] = {"x": TensorType((4, 5), "float32")}


def names(graph: Graph) -> list[str]:
    return [node.op.name for node in graph.nodes]


def lowered(symbol: Symbol) -> Graph:
    return lower(symbol, X)


def test_dead_code() -> None:
    x = sym.var("x")
    graph = lowered(sym.split(x, num_outputs=5, axis=1)[0] + 1)
    assert names(remove_dead_code(graph)) == ["SliceChannel", "_plus_scalar"]
    parts = lowered(sym.Group([sym.exp(x), sym.log(x)]))
    assert names(remove_dead_code(replace(parts, outputs=parts.outputs[:1]))) == ["exp"]


def test_constants_are_folded() -> None:
    graph = lowered(sym.broadcast_add(sym.var("x"), sym.ones((1, 5)) * 2 + 1))
    folded = remove_dead_code(fold_constants(graph))
    assert names(folded) == ["broadcast_add"]
    (value,) = folded.constants.values()
    assert (value == 3).all()


def test_equal_calls_are_one() -> None:
    x = sym.var("x")
    assert names(optimize(lowered(sym.exp(x) * sym.exp(x)))) == ["exp", "elemwise_mul"]


def test_random_draws_stay_apart() -> None:
    x = sym.var("x")
    draws = x + sym.random.uniform(shape=(4, 5)) - sym.random.uniform(shape=(4, 5))
    assert names(optimize(lowered(draws))).count("_random_uniform") == 2


def test_a_broken_graph_is_found() -> None:
    graph = lowered(sym.exp(sym.log(sym.var("x"))))
    with pytest.raises(GraphError):
        replace(graph, nodes=graph.nodes[::-1]).check()
    with pytest.raises(GraphError):
        merge_common_subexpressions(replace(graph, outputs=(99,))).check()


def test_buffers_are_used_again() -> None:
    y = sym.var("x")
    for _ in range(8):
        y = sym.exp(sym.negative(y))
    plan = make_plan(optimize(lowered(y)))
    assert len(plan.sizes) <= 2
    assert plan.bytes_planned <= 2 * 4 * 5 * 4
    assert "buffer" in str(plan)


@pytest.mark.parametrize("static_alloc", [False, True])
def test_views_are_never_overwritten(static_alloc: bool) -> None:
    x = sym.var("x")
    kept = sym.transpose(sym.exp(x))
    y = kept
    for _ in range(4):
        y = sym.tanh(y * 2)
    both = sym.Group([y, kept, sym.slice_axis(kept, axis=0, begin=0, end=2)])
    executor = PLAIN.compile(optimize(lowered(both)), training=False, static_alloc=static_alloc)
    raw = np.linspace(-1, 1, 20, dtype="float32").reshape(4, 5)
    first = executor([raw])
    second = executor([raw + 1])
    assert_same_numbers(first[1], np.exp(raw).T)
    assert_same_numbers(first[2], np.exp(raw).T[:2])
    assert_same_numbers(second[1], np.exp(raw + 1).T)
    assert not any(np.shares_memory(a, b) for a in first for b in (*second, raw))


def test_graphs_without_inputs_and_without_gradients_cannot_be_compiled() -> None:
    with pytest.raises(MXNetError, match="no inputs"):
        CachedOp(sym.ones((2,)))
    with pytest.raises(MXNetError, match="non-differentiable"):
        CachedOp(sym.random.shuffle(sym.var("x")))
    with pytest.raises(MXNetError, match="axis"):
        CachedOp(sym.sort(sym.var("x")))


def test_an_output_that_is_an_input_shares_its_memory() -> None:
    x, variable = nd.array([1.0, 2]), sym.var("x")
    same, double = CachedOp(sym.Group([variable, variable * 2]))(x)
    same[0] = 7
    assert x.asnumpy().tolist() == [7, 2]
    assert double.asnumpy().tolist() == [2, 4]


def test_shapes_that_depend_on_values_run_node_by_node() -> None:
    x, mask = sym.var("x"), sym.var("m")
    op = CachedOp(sym.contrib.boolean_mask(x, mask) * 2)
    data = nd.array([[1.0], [2], [3]])
    data.attach_grad()
    with autograd.record():
        y = op(data, nd.array([1, 0, 1]))
    y.backward()
    assert y.asnumpy().tolist() == [[2], [6]]
    assert data.grad is not None
    assert data.grad.asnumpy().tolist() == [[2], [0], [2]]


def test_compiled_draws_are_eager_draws() -> None:
    x = nd.ones((1000,))
    op = CachedOp(sym.Dropout(sym.var("x"), p=0.5, name="d"))
    random.seed(1)
    with autograd.train_mode():
        eager = nd.Dropout(x, p=0.5).asnumpy()
        random.seed(1)
        compiled = op(x).asnumpy()
    np.testing.assert_array_equal(eager, compiled)
