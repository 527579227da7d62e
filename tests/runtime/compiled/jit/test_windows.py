"""Convolution and pooling as native code: every geometry, and what of a network is computed together."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor, best
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, draw, each_target, engine, graph_of, kernels, matches, native

X = {"x": (2, 6, 13, 11)}

GEOMETRIES: list[dict[str, Any]] = [
    {"kernel": (1, 1)},
    {"kernel": (1, 1), "stride": (2, 2)},
    {"kernel": (3, 3), "pad": (1, 1)},
    {"kernel": (3, 2), "stride": (2, 1), "pad": (0, 1)},
    {"kernel": (3, 3), "dilate": (2, 3), "pad": (2, 3)},
    {"kernel": (5, 3), "pad": (2, 1), "num_group": 2},
    {"kernel": (3, 3), "pad": (1, 1), "num_group": 6},
    {"kernel": (13, 11)},
]


def convolution(x: Symbol, name: str, filters: int, **params: Any) -> Any:
    return sym.Convolution(x, name=name, num_filter=filters, **params)


def all_shapes(symbol: Symbol, given: Mapping[str, tuple[int, ...]]) -> dict[str, tuple[int, ...]]:
    arguments, _, states = symbol.infer_shape(**given)
    names = (*symbol.list_arguments(), *symbol.list_auxiliary_states())
    return dict(zip(names, (*arguments, *states), strict=True))


@native
@each_target
@pytest.mark.parametrize("filters", [6, 48])
@pytest.mark.parametrize("number", range(len(GEOMETRIES)))
def test_convolutions_of_every_geometry(number: int, filters: int, target: TargetProcessor) -> None:
    symbol = sym.relu(convolution(sym.var("x"), "c", filters, **GEOMETRIES[number]))
    graph = graph_of(symbol, all_shapes(symbol, X))
    matches(compiled(engine(target), graph), graph)


@native
def test_convolutions_of_other_ranks_and_layouts() -> None:
    for shape, params in (
        ((2, 3, 17), {"kernel": (3,), "pad": (1,), "stride": (2,)}),
        ((1, 2, 5, 6, 7), {"kernel": (3, 2, 3), "pad": (1, 0, 1)}),
        ((2, 9, 8, 3), {"kernel": (3, 3), "pad": (1, 1), "layout": "NHWC"}),
    ):
        symbol = convolution(sym.var("x"), "c", 5, **params)
        graph = graph_of(symbol, all_shapes(symbol, {"x": shape}))
        matches(compiled(engine(best(features())), graph), graph)


@native
@each_target
def test_a_residual_block_is_a_kernel_for_each_convolution(target: TargetProcessor) -> None:
    def normal(x: Symbol, name: str) -> Any:
        return sym.BatchNorm(x, name=name, fix_gamma=False, use_global_stats=True)

    x = sym.relu(normal(convolution(sym.var("x"), "a", 16, kernel=(3, 3), pad=(1, 1), no_bias=True), "m"))
    y = sym.relu(normal(convolution(x, "b", 16, kernel=(3, 3), pad=(1, 1), no_bias=True), "n"))
    y = normal(convolution(y, "c", 16, kernel=(3, 3), pad=(1, 1), no_bias=True), "o")
    symbol = sym.Pooling(sym.relu(x + y), global_pool=True, pool_type="avg", kernel=(1, 1))
    graph = graph_of(symbol, all_shapes(symbol, X))
    executor = compiled(engine(target), graph)
    counts = kernels(executor)
    assert (counts["NativeProduct"], counts["Pack"], counts["Fold"]) == (3, 3, 1)
    arrays = draw(graph)
    arrays = [abs(raw) + 0.5 if "var" in name else raw for raw, name in zip(arrays, symbol.list_inputs(), strict=True)]
    matches(executor, graph, arrays=arrays)


POOLS: list[dict[str, Any]] = [
    {"kernel": (2, 2), "stride": (2, 2)},
    {"kernel": (3, 3), "stride": (2, 2), "pad": (1, 1)},
    {"kernel": (3, 2), "stride": (2, 2), "pad": (1, 0), "pooling_convention": "full"},
    {"kernel": (2, 2), "stride": (2, 2), "pool_type": "avg"},
    {"kernel": (3, 3), "pad": (1, 1), "pool_type": "avg"},
    {"kernel": (3, 3), "pool_type": "sum"},
    {"kernel": (1, 1), "global_pool": True},
]


@native
@pytest.mark.parametrize("number", range(len(POOLS)))
def test_pools_of_what_a_convolution_gives(number: int) -> None:
    y = sym.relu(convolution(sym.var("x"), "c", 20, kernel=(3, 3), pad=(1, 1)))
    pooled = sym.Pooling(y, **POOLS[number])
    symbol = sym.FullyConnected(sym.Flatten(pooled), name="d", num_hidden=4)
    graph = graph_of(symbol, all_shapes(symbol, X))
    executor = compiled(engine(best(features())), graph)
    assert {step.engine for step in executor.steps} == {"jit"}
    matches(executor, graph)


@native
def test_a_value_in_a_frame_may_have_other_readers() -> None:
    y = sym.tanh(convolution(sym.var("x"), "a", 6, kernel=(3, 3), pad=(1, 1)))
    near = convolution(y, "b", 6, kernel=(3, 3), pad=(1, 1))
    far = convolution(y, "c", 6, kernel=(5, 5), pad=(2, 2))
    symbol = sym.Group([near + far + y, sym.sum(y, axis=(2, 3)), y])
    graph = graph_of(symbol, all_shapes(symbol, X))
    matches(compiled(engine(best(features())), graph), graph)


@native
def test_parts_that_are_joined_keep_their_layout() -> None:
    parts = [sym.relu(convolution(sym.var("x"), f"c{k}", 5 + k, kernel=(3, 3), pad=(1, 1))) for k in range(3)]
    joined = sym.concat(*parts, dim=1)
    symbol = sym.Group([convolution(joined, "last", 4, kernel=(3, 3), pad=(1, 1)), sym.stack(*[joined] * 2, axis=2)])
    graph = graph_of(symbol, all_shapes(symbol, X))
    executor = compiled(engine(best(features())), graph)
    assert {step.engine for step in executor.steps} == {"jit"}
    matches(executor, graph)


def test_the_gradient_of_the_largest_of_all_is_one_step() -> None:
    """A window of everything is not taken element by element, which took minutes to compile."""
    x = mx.nd.random.uniform(shape=(2, 3, 24, 24))
    x.attach_grad()
    net = mx.gluon.nn.GlobalMaxPool2D()
    net.hybridize(backend="jit")
    with mx.autograd.record():
        y = net(x)
    y.backward()
    assert x.grad.asnumpy().sum() == 6
    assert np.array_equal(x.grad.asnumpy() == 1, x.asnumpy() == x.asnumpy().max(axis=(2, 3), keepdims=True))
