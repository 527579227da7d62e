"""Products with few columns are computed by vectors along rows, where these lie together."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.kernels import NativeProduct
from hybridlint.runtime.compiled.engines.jit.narrow_products import narrow_tile
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TARGETS, TargetProcessor
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, matches, native

X, R = sym.var("x"), sym.var("r")


def convolution(x: Symbol, name: str, filters: int, **params: Any) -> Any:
    return sym.Convolution(x, name=name, num_filter=filters, **params)


def graph_for(symbol: Symbol, **given: tuple[int, ...]) -> Graph:
    arguments, _, _ = symbol.infer_shape(**given)
    return graph_of(symbol, dict(zip(symbol.list_arguments(), arguments, strict=True)))


def by_rows(executor: NativeExecutor) -> list[bool]:
    """Return for each product whether its vectors lie along rows."""
    segments = [work for work in executor.work if isinstance(work, NativeSegment)]
    return [bool(k.beside) for segment in segments for k in segment.kernels if isinstance(k, NativeProduct)]


@native
@each_target
@pytest.mark.parametrize("width", [8, 20, 37, 70])
def test_few_filters_of_one_channel(width: int, target: TargetProcessor) -> None:
    symbol = sym.tanh(convolution(X, "c", 3, kernel=(5, 4))) * R
    graph = graph_for(symbol, x=(2, 1, 9, width + 3))
    executor = compiled(engine(target), graph)
    assert by_rows(executor) == [narrow_tile(target, width, 3, (5, 4)) is not None]
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize("pad", [(0, 0), (1, 2)], ids=str)
def test_what_follows_goes_by_rows_too(pad: tuple[int, int], target: TargetProcessor) -> None:
    """A pool, a convolution and a sum read what lies by rows, with frames of zeros and without."""
    first = sym.relu(convolution(X, "a", 3, kernel=(3, 3), pad=pad))
    pooled = sym.Pooling(first, kernel=(2, 2), stride=(2, 2))
    second = convolution(pooled, "b", 20, kernel=(3, 3), pad=pad)
    graph = graph_for(sym.Group([sym.sum(second, axis=1), first * 2]), x=(2, 1, 14, 40))
    executor = compiled(engine(target), graph)
    assert any(by_rows(executor))
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize("count", [2, 5, 9, 12, 16, 23])
def test_every_second_element(count: int, target: TargetProcessor) -> None:
    graph = graph_of(sym.slice(X, begin=(None, 1), end=(None, 2 * count), step=(None, 2)) * 3, {"x": (3, 2 * count)})
    matches(compiled(engine(target), graph), graph)


@native
@each_target
def test_channels_last_keep_their_layout(target: TargetProcessor) -> None:
    """A result whose columns lie together is computed by columns."""
    graph = graph_for(convolution(X, "c", 3, kernel=(3, 3), layout="NHWC"), x=(2, 8, 40, 1))
    executor = compiled(engine(target), graph)
    assert by_rows(executor) == [False]
    matches(executor, graph)


def test_vectors_lie_where_they_are_full() -> None:
    target = TARGETS[0]
    assert narrow_tile(target, 24, 6, (5, 5)) == (6, 2)
    assert narrow_tile(target, 24, 16, (5, 5)) is None
    assert narrow_tile(target, 3, 6, (5, 5)) is None
    assert narrow_tile(target, 24, 6, (5, 5, 100)) is None
