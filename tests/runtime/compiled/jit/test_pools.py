"""Pools of what a convolution gives are computed with it: its results themselves are never written."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.chains import chains
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.kernels import Convolve, NativeProduct
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.narrow_products import narrow_tile
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor, best
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, draw, each_target, engine, graph_of, matches, native

X = sym.var("x")
PAIRS: dict[str, Any] = {"kernel": (2, 2), "stride": (2, 2)}


def convolution(x: Symbol, name: str, filters: int, **params: Any) -> Any:
    return sym.Convolution(x, name=name, num_filter=filters, **{"kernel": (3, 3), **params})


def graph_for(symbol: Symbol, **given: tuple[int, ...]) -> Graph:
    arguments, _, _ = symbol.infer_shape(**given)
    return graph_of(symbol, dict(zip(symbol.list_arguments(), arguments, strict=True)))


def pooled(executor: NativeExecutor) -> list[bool]:
    """Return for each convolution or product whether a pool is computed with it."""
    segments = [work for work in executor.work if isinstance(work, NativeSegment)]
    found = [kernel for segment in segments for kernel in segment.kernels]
    return [kernel.pooled is not None for kernel in found if isinstance(kernel, (Convolve, NativeProduct))]


@native
@each_target
@pytest.mark.parametrize("kind", ["max", "avg", "sum"])
@pytest.mark.parametrize("size", [8, 12, 26, 36, 66])
def test_few_filters(size: int, kind: str, target: TargetProcessor) -> None:
    """Vectors lie along rows, of which two are computed at once where registers hold their sums."""
    y = sym.tanh(convolution(X, "c", 3))
    graph = graph_for(sym.Pooling(y, pool_type=kind, **PAIRS), x=(2, 1, 12, size + 2))
    executor = compiled(engine(target), graph)
    matches(executor, graph)
    assert pooled(executor) == [narrow_tile(target, size, 3, (3, 3)) is not None]


@native
@each_target
@pytest.mark.parametrize("pool", [PAIRS, {"kernel": (2, 1), "stride": (2, 1)}, {"kernel": (1, 2), "stride": (1, 2)}])
def test_rectangles_of_any_kind(pool: dict[str, Any], target: TargetProcessor) -> None:
    y = sym.Pooling(sym.relu(convolution(X, "c", 2, kernel=(5, 5))), pool_type="max", **pool)
    graph = graph_for(sym.sqrt(sym.abs(y)) + 1, x=(3, 1, 14, 36))
    executor = compiled(engine(target), graph)
    assert pooled(executor) == [True]
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize("filters", [5, 16, 33])
@pytest.mark.parametrize("kernel", [3, 5])
def test_squares_of_winograds_algorithm(kernel: int, filters: int, target: TargetProcessor) -> None:
    data = sym.transpose(X, axes=(0, 3, 1, 2))
    y = sym.relu(convolution(data, "c", filters, kernel=(kernel, kernel)))
    symbol = sym.Pooling(y, pool_type="max", **PAIRS)
    graph = graph_for(symbol, x=(3, 11 + kernel, 7 + kernel, 24))
    executor = compiled(engine(target), graph)
    matches(executor, graph)
    segments = [work for work in executor.work if isinstance(work, NativeSegment)]
    if any(isinstance(kernel, Convolve) for segment in segments for kernel in segment.kernels):
        assert pooled(executor) == [True]


def lenet_like() -> Any:
    """Return a network whose first convolution has few filters, and whose second one takes Winograd's algorithm."""
    y = sym.Pooling(sym.relu(convolution(X, "a", 7, kernel=(5, 5))), pool_type="max", **PAIRS)
    y = sym.Pooling(sym.tanh(convolution(y, "b", 32, kernel=(5, 5))), pool_type="max", **PAIRS)
    return sym.FullyConnected(sym.Flatten(y), name="d", num_hidden=7)


@native
@each_target
def test_one_after_another(target: TargetProcessor) -> None:
    """What goes into squares is written by turns, with channels last."""
    graph = graph_for(lenet_like(), x=(4, 1, 28, 28))
    executor = compiled(engine(target), graph)
    assert pooled(executor)[1:] == [True, False]
    matches(executor, graph)


@native
def test_threads_take_samples_through_all_of_it() -> None:
    graph = graph_for(lenet_like(), x=(32, 1, 28, 28))
    target = best(features())
    (segment,) = (work for work in compiled(engine(target), graph).work if isinstance(work, NativeSegment))
    (chain,) = chains(segment.kernels, target, 2)
    assert {type(part) for part in chain.parts} >= {Convolve, NativeProduct}
    assert all(part.sizes[0] == 32 // chain.shares for part in chain.parts if isinstance(part, Convolve))


@native
@each_target
def test_in_a_frame_with_other_axes_and_of_one_sample(target: TargetProcessor) -> None:
    y = sym.Pooling(sym.relu(convolution(X, "a", 4)), pool_type="max", **PAIRS)
    symbol = sym.sum(convolution(y, "b", 32, pad=(1, 1)), axis=1)
    graph = graph_for(symbol, x=(1, 1, 18, 34))
    executor = compiled(engine(target), graph)
    matches(executor, graph)
    turned = graph_for(sym.transpose(y, axes=(3, 0, 2, 1)) * 2, x=(2, 1, 18, 34))
    matches(compiled(engine(target), turned), turned)


@native
@pytest.mark.parametrize(
    "pool",
    [
        {"kernel": (3, 3), "stride": (2, 2)},
        {"kernel": (2, 2), "stride": (1, 1)},
        {"kernel": (2, 2), "stride": (2, 2), "pad": (1, 1)},
        {"kernel": (5, 5), "stride": (5, 5)},
    ],
)
def test_other_windows_read_what_is_written(pool: dict[str, Any]) -> None:
    symbol = sym.Pooling(sym.relu(convolution(X, "c", 3)), pool_type="max", **pool)
    graph = graph_for(symbol, x=(2, 1, 22, 42))
    executor = compiled(engine(best(features())), graph)
    assert pooled(executor) == [False]
    matches(executor, graph)


@native
def test_what_others_need_is_written() -> None:
    y = sym.relu(convolution(X, "c", 3))
    for other in (y, sym.sum(y, axis=(2, 3)), sym.slice(y, begin=(0, 0, 0, 0), end=(1, 1, 1, 1))):
        graph = graph_for(sym.Group([sym.Pooling(y, pool_type="max", **PAIRS), other]), x=(2, 1, 18, 34))
        executor = compiled(engine(best(features())), graph)
        assert pooled(executor) == [False]
        matches(executor, graph)


@native
@each_target
def test_what_is_no_number_reaches_the_pool(target: TargetProcessor) -> None:
    graph = graph_for(sym.Pooling(sym.relu(convolution(X, "c", 3)), pool_type="max", **PAIRS), x=(1, 1, 10, 34))
    arrays = draw(graph)
    arrays[0][0, 0, 4, 7], arrays[0][0, 0, 4, 20] = np.nan, np.inf
    matches(compiled(engine(target), graph), graph, arrays=arrays)


@native
def test_training_keeps_what_the_gradient_compares() -> None:
    def gradients(**how: Any) -> list[Any]:
        mx.random.seed(3)
        net = mx.gluon.nn.HybridSequential()
        net.add(mx.gluon.nn.Conv2D(4, 3, activation="relu"), mx.gluon.nn.MaxPool2D(2, 2), mx.gluon.nn.Dense(3))
        net.initialize(mx.init.Uniform(0.5))
        x = mx.nd.array(np.random.default_rng(1).normal(size=(2, 1, 18, 34)))
        x.attach_grad()
        net(x)
        net.hybridize(**how)
        with mx.autograd.record():
            y = (net(x) ** 2).sum()
        y.backward()
        return [x.grad.asnumpy(), *(p.grad().asnumpy() for p in net.collect_params().values())]

    for found, wanted in zip(gradients(backend="jit"), gradients(active=False), strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
