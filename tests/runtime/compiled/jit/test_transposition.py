"""Loops that read along one axis and write along another transpose squares, whatever is left over at the edges."""

from __future__ import annotations

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.transposition import Turn, turn_of
from hybridlint.runtime.compiled.lowering.kernels import Loop
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, matches, native

X, Y, V, U = sym.var("x"), sym.var("y"), sym.var("v"), sym.var("u")


def turns(executor: NativeExecutor, lanes: int) -> list[Turn | None]:
    """Return how each loop of an executor is turned."""
    (segment,) = (work for work in executor.work if isinstance(work, NativeSegment))
    return [turn_of(kernel, lanes) for kernel in segment.kernels if isinstance(kernel, Loop)]


@native
@each_target
@pytest.mark.parametrize(
    ("shape", "axes"),
    [((32, 48), (1, 0)), ((37, 53), (1, 0)), ((2, 19, 5, 21), (0, 2, 3, 1)), ((3, 5, 7, 21), (3, 0, 1, 2))],
    ids=str,
)
def test_transposed_copies(shape: tuple[int, ...], axes: tuple[int, ...], target: TargetProcessor) -> None:
    graph = graph_of(sym.transpose(X, axes=axes), {"x": shape})
    executor = compiled(engine(target), graph)
    (turn,) = turns(executor, target.lanes)
    assert turn is not None
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize(
    "symbol",
    [
        sym.transpose(X, axes=(0, 2, 1)) * 2 + Y,
        sym.broadcast_mul(sym.transpose(X, axes=(0, 2, 1)), V) + sym.transpose(X, axes=(0, 2, 1)),
        sym.relu(sym.broadcast_add(sym.transpose(sym.tanh(X), axes=(0, 2, 1)), sym.transpose(U, axes=(0, 2, 1)))),
    ],
    ids=["with one in order", "with one for each row", "with one for each column"],
)
def test_functions_of_transposed_arrays(symbol: Symbol, target: TargetProcessor) -> None:
    shapes = {"x": (2, 35, 21), "y": (2, 21, 35), "v": (1, 21, 1), "u": (1, 35, 1)}
    graph = graph_of(symbol, {name: shapes[name] for name in symbol.list_arguments()})
    matches(compiled(engine(target), graph), graph)


@native
@each_target
@pytest.mark.parametrize("units", [1, 16, 37])
def test_weights_are_packed_across(units: int, target: TargetProcessor) -> None:
    graph = graph_of(
        sym.FullyConnected(X, sym.var("w"), num_hidden=units, no_bias=True), {"x": (3, 53), "w": (units, 53)}
    )
    matches(compiled(engine(target), graph), graph)


@native
@each_target
def test_filters_are_packed_across_three_axes(target: TargetProcessor) -> None:
    graph = graph_of(
        sym.Convolution(X, sym.var("w"), kernel=(3, 2), num_filter=37, no_bias=True),
        {"x": (2, 13, 7, 6), "w": (37, 13, 3, 2)},
    )
    matches(compiled(engine(target), graph), graph)
