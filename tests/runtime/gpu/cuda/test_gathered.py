"""Rows of tables at positions that are computed: numpy's, whatever the positions are, and nothing else of integers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.gathered import RowPositions
from hybridlint.runtime.compiled.lowering.module import TracedModule
from hybridlint.runtime.compiled.lowering.traced import Traced
from hybridlint.runtime.compiled.lowering.values import CannotLower, Given
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from tests.runtime.gpu.cuda.devices import assert_near, compiled, references, run
from tests.runtime.gpu.cuda.shim import runs_kernels


def graph_of(symbol: Any, **types: tuple[tuple[int, ...], str]) -> Graph:
    return optimize(lower(symbol, {name: TensorType(*held) for name, held in types.items()}))


def native(graph: Graph) -> bool:
    return all(step.engine == "cuda" for step in compiled(graph).steps)


@runs_kernels
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32", "int64"])
@pytest.mark.parametrize("table", ["float32", "float16"])
def test_rows_are_numpys_and_what_is_outside_is_clipped(dtype: str, table: str) -> None:
    symbol = sym.Embedding(sym.var("x"), sym.var("w"), input_dim=6, output_dim=4, dtype=table)
    positions = np.array([[0, 1, 5], [-3, 6, 1000]], dtype)
    if dtype.startswith("float"):
        positions = positions + np.array(0.75, dtype)
    graph = graph_of(symbol, x=(positions.shape, dtype), w=((6, 4), table))
    weight = np.random.default_rng(0).normal(size=(6, 4)).astype(table)
    assert native(graph)
    found = run(compiled(graph), [positions, weight])
    np.testing.assert_array_equal(found[0], references(graph, [positions, weight])[0])


@runs_kernels
@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_parts_along_any_axis_of_what_is_computed_are_taken_at_what_is_computed(axis: int) -> None:
    data = sym.transpose(sym.exp(sym.var("x")), axes=(1, 0, 2))
    symbol = sym.tanh(sym.take(data, sym.abs(sym.var("i")) + 1, axis=axis)) * 2
    graph = graph_of(symbol, x=((2, 3, 4), "float32"), i=((5,), "float32"))
    generator = np.random.default_rng(axis + 1)
    arrays = [generator.normal(size=(2, 3, 4)).astype("float32"), generator.normal(size=5).astype("float32") * 3]
    assert native(graph)
    assert_near(run(compiled(graph), arrays), references(graph, arrays))


@runs_kernels
def test_an_embedding_and_the_layer_behind_it_are_captured_as_one_graph() -> None:
    row = sym.Embedding(sym.var("x"), sym.var("w"), input_dim=5, output_dim=3)
    graph = graph_of(sym.softmax(row * 2), x=((4,), "float32"), w=((5, 3), "float32"))
    executor = compiled(graph, static_alloc=True)
    assert executor.taken == "graph"
    for seed in range(3):
        generator = np.random.default_rng(seed)
        arrays = [generator.integers(0, 5, 4).astype("float32"), generator.normal(size=(5, 3)).astype("float32")]
        assert_near(run(executor, arrays), references(graph, arrays))


@pytest.mark.parametrize("mode", ["wrap", "raise"])
def test_positions_that_are_not_clipped_are_left_to_the_array_module(mode: str) -> None:
    graph = graph_of(sym.take(sym.var("x"), sym.var("i"), mode=mode), x=((3, 2), "float32"), i=((2,), "int32"))
    assert not native(graph)


def test_integers_are_positions_and_nothing_else() -> None:
    places: Any = RowPositions(Given((3,), number=0, dtype="int32"))
    module: Any = TracedModule()
    uses: list[Callable[[], Any]] = [
        lambda: places + 1,
        lambda: 1 - places,
        lambda: places == 1,
        lambda: places % 2,
        lambda: bool(places),
        lambda: np.asarray(places),
        lambda: np.arange(5)[places],
        lambda: module.add(places, 1),
        lambda: module.arange(places),
        lambda: module.where(places, 1.0, 0.0),
        lambda: places.reshape(-1),
        lambda: places.astype("float32"),
        lambda: Traced(Given((4, 2), number=1))[places],
        lambda: Traced(Given((4, 2), number=1))[places.clipped(0, 2)],
    ]
    for use in uses:
        with pytest.raises((CannotLower, TypeError, IndexError)):
            use()
    assert ABILITIES.gathers
    assert Traced(Given((4, 2), number=1))[places.clipped(0, 3)].shape == (3, 2)
