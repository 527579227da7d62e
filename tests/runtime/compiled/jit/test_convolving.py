"""Convolutions with filters of 3 or 5 in height and width are computed in squares where that is worth it.

They are as right then, and less to do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.kernels import Convolve
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TARGETS, TargetProcessor, best
from hybridlint.runtime.compiled.engines.jit.winograd import FORMS, Form, form_for, rows_of_block
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, draw, each_target, engine, graph_of, kernels, matches, native

SMALL, LARGE, WIDE = FORMS
X, R = sym.var("x"), sym.var("r")


def convolution(x: Symbol, name: str, filters: int, **params: Any) -> Any:
    return sym.Convolution(x, name=name, num_filter=filters, **{"kernel": (3, 3), "pad": (1, 1), **params})


def graph_for(symbol: Symbol, **given: tuple[int, ...]) -> Graph:
    arguments, _, _ = symbol.infer_shape(**given)
    return graph_of(symbol, dict(zip(symbol.list_arguments(), arguments, strict=True)))


@pytest.mark.parametrize("form", FORMS, ids=lambda form: f"squares of {form.size}, filters of {form.filter}")
def test_a_form_gives_what_a_filter_does(form: Form) -> None:
    generator = np.random.default_rng(0)
    data, square = generator.normal(size=(form.width, form.width)), generator.normal(size=(form.filter, form.filter))
    turn, fold, show = (np.array(matrix) for matrix in (form.turn, form.fold, form.show))
    found = show @ ((fold @ square @ fold.T) * (turn @ data @ turn.T)) @ show.T
    windows = np.lib.stride_tricks.sliding_window_view(data, square.shape)
    np.testing.assert_allclose(found, np.einsum("yxij,ij->yx", windows, square), atol=1e-13)


@native
@each_target
@pytest.mark.parametrize(
    ("shape", "filters", "squares"),
    [
        ((1, 32, 12, 16), 32, 4),
        ((3, 32, 8, 8), 40, 4),
        ((2, 32, 14, 14), 64, 2),
        ((2, 37, 4, 20), 35, 4),
        ((1, 64, 7, 8), 32, None),
    ],
)
def test_squares_of_results(shape: tuple[int, ...], filters: int, squares: int | None, target: TargetProcessor) -> None:
    symbol = sym.relu(convolution(X, "c", filters) + R)
    graph = graph_for(symbol, x=shape)
    executor = compiled(engine(target), graph)
    works = [work for work in executor.work if isinstance(work, NativeSegment)]
    found = [kernel.form.size for work in works for kernel in work.kernels if isinstance(kernel, Convolve)]
    assert found == ([squares] if squares else [])
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize(
    ("shape", "filters", "squares"), [((2, 9, 10, 14), 30, [2]), ((1, 33, 8, 8), 31, [2]), ((2, 9, 11, 14), 30, [])]
)
def test_wide_filters(shape: tuple[int, ...], filters: int, squares: list[int], target: TargetProcessor) -> None:
    data = sym.transpose(X, axes=(0, 3, 1, 2))
    symbol = sym.tanh(convolution(data, "c", filters, kernel=(5, 5), pad=(2, 2)) * 0.02)
    graph = graph_for(symbol, x=(shape[0], *shape[2:], shape[1]))
    executor = compiled(engine(target), graph)
    works = [work for work in executor.work if isinstance(work, NativeSegment)]
    found = [kernel.form.size for work in works for kernel in work.kernels if isinstance(kernel, Convolve)]
    assert found == squares
    matches(executor, graph)


@native
@each_target
def test_without_a_frame_with_channels_last_and_many_readers(target: TargetProcessor) -> None:
    x = convolution(sym.transpose(X, axes=(0, 3, 1, 2)), "a", 32, pad=(0, 0), no_bias=True)
    y = sym.tanh(convolution(x, "b", 32) * 0.003)
    symbol = sym.Group([convolution(y, "c", 48) * 2, sym.sum(y, axis=1), sym.transpose(y, axes=(0, 2, 3, 1))])
    graph = graph_for(symbol, x=(2, 14, 18, 32))
    executor = compiled(engine(target), graph)
    assert kernels(executor)["Convolve"] == 3
    matches(executor, graph)


@native
@pytest.mark.parametrize("params", [{"stride": (2, 2)}, {"dilate": (2, 2), "pad": (2, 2)}])
def test_other_convolutions_stay_products(params: dict[str, Any]) -> None:
    graph = graph_for(convolution(X, "c", 32, **params), x=(1, 32, 16, 16))
    executor = compiled(engine(best(features())), graph)
    assert "Convolve" not in kernels(executor)
    matches(executor, graph)


@native
def test_filters_are_transformed_again_when_they_have_changed() -> None:
    graph = graph_for(convolution(X, "c", 32, no_bias=True), x=(1, 32, 16, 16))
    executor = compiled(engine(best(features())), graph)
    arrays = draw(graph)
    matches(executor, graph, arrays=arrays)
    matches(executor, graph, arrays=[arrays[0], arrays[1] + 1])


@native
def test_the_steps_are_named() -> None:
    graph = graph_for(sym.relu(convolution(X, "c", 32, no_bias=True)), x=(1, 32, 16, 16))
    executor = compiled(engine(best(features())), graph)
    named = [part.what for part in executor.timed(draw(graph), 1)]
    assert "filters transformed and packed, 3 x 3 x 32 x 32" in named
    assert "convolution, 1 x 16 x 16 x 32 over 32, squares of 4: maximum" in named


def test_the_choice_depends_on_sizes_alone() -> None:
    """Of ResNet's convolutions those with many places gain most; the last ones have more filters than places."""
    for target in TARGETS:
        chosen = [form_for((1, size, size, filters), 3, filters, target) for size, filters in ((56, 64), (28, 128))]
        assert chosen == [LARGE] * 2
        assert form_for((1, 14, 14, 256), 3, 256, target) is SMALL
        assert form_for((1, 7, 7, 512), 3, 512, target) is None


def test_wide_filters_of_few_channels_stay_products() -> None:
    """A square of data is transformed for each channel, and one of sums for each filter."""
    for target in TARGETS:
        assert form_for((16, 8, 8, 16), 5, 6, target) is WIDE
        assert form_for((1, 32, 32, 32), 5, 3, target) is None
        assert form_for((1, 32, 32, 64), 7, 64, target) is None


def test_a_block_has_enough_squares_and_leaves_none_over() -> None:
    assert rows_of_block(LARGE, (1, 56, 56, 64), 64) == 1
    assert rows_of_block(LARGE, (4, 8, 8, 64), 64) == 4
    assert rows_of_block(SMALL, (1, 2, 2, 64), 64) == 1
    assert rows_of_block(LARGE, (1, 20, 8, 64), 64) == 5


def test_a_block_has_fewer_squares_where_the_first_cache_holds_these_alone() -> None:
    assert rows_of_block(WIDE, (16, 8, 8, 16), 6) == 1
    assert rows_of_block(WIDE, (16, 8, 8, 4), 2) == 2
