"""Loops over the same elements run as one loop: what one of them computes, the next do not read from memory."""

from __future__ import annotations

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.kernels import Together
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor, best
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import (
    compiled,
    draw,
    each_target,
    engine,
    graph_of,
    kernels,
    matches,
    native,
)

X, Y, V = sym.var("x"), sym.var("y"), sym.var("v")


def several() -> Symbol:
    """Return two results that share a function of elements, which is none itself."""
    shared = sym.tanh(X * Y)
    made: Symbol = sym.Group([sym.exp(shared) + V, shared * X - sym.relu(shared)])
    return made


def together(executor: NativeExecutor) -> Together:
    (segment,) = (work for work in executor.work if isinstance(work, NativeSegment))
    (found,) = segment.kernels
    assert isinstance(found, Together)
    return found


@native
@each_target
@pytest.mark.parametrize("shape", [(3,), (4, 16), (5, 7, 37)], ids=str)
def test_results_of_one_shape_are_computed_together(shape: tuple[int, ...], target: TargetProcessor) -> None:
    graph = graph_of(several(), {"x": shape, "y": shape, "v": shape})
    executor = compiled(engine(target), graph)
    assert together(executor).stored == (False, True, True)
    matches(executor, graph)


@native
@each_target
def test_what_is_read_elsewhere_is_stored_too(target: TargetProcessor) -> None:
    """Sums over rows of what two loops share are another loop's."""
    shared = sym.tanh(X * Y)
    graph = graph_of(sym.Group([shared * X, sym.sum(shared, axis=1)]), {"x": (6, 40), "y": (6, 40)})
    executor = compiled(engine(target), graph)
    matches(executor, graph)


@native
@each_target
def test_loops_that_read_other_elements_stay_apart(target: TargetProcessor) -> None:
    shared = sym.tanh(X)
    graph = graph_of(sym.Group([shared + 1, sym.flip(shared, axis=1) * Y]), {"x": (6, 40), "y": (6, 40)})
    executor = compiled(engine(target), graph)
    assert kernels(executor)["Together"] <= 1
    matches(executor, graph)


@native
def test_loops_that_run_together_are_named() -> None:
    graph = graph_of(several(), {"x": (4, 16), "y": (4, 16), "v": (4, 16)})
    (row,) = compiled(engine(best(features())), graph).timed(draw(graph), 1)
    assert row.what == "loops together, 4 x 16: multiply, tanh, exp, add, maximum, subtract"
