"""Rows of products that would lie on the same lines of a cache are kept a line apart."""

from __future__ import annotations

from typing import Any

import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.kernels import NativeProduct
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, matches, native


def two_layers(hidden: int, shape: tuple[int, ...]) -> Any:
    """Return two dense layers, between which the inner axes may be others."""
    wide = sym.FullyConnected(sym.var("x"), sym.var("w"), no_bias=True, num_hidden=hidden, flatten=False)
    between = sym.reshape(sym.relu(wide), shape=shape)
    return sym.FullyConnected(between, sym.var("v"), no_bias=True, num_hidden=5, flatten=False)


def lefts(executor: NativeExecutor) -> list[int]:
    """Return how far the rows of left operands are from each other."""
    (segment,) = (work for work in executor.work if isinstance(work, NativeSegment))
    return [kernel.left.steps[-2] for kernel in segment.kernels if isinstance(kernel, NativeProduct)]


@native
@each_target
@pytest.mark.parametrize(
    ("hidden", "shape", "width", "step"),
    [
        (1024, (2, 6, 1024), 1024, 1056),
        (1024, (12, 1024), 1024, 1056),
        (1000, (12, 1000), 1000, 1000),
        (2048, (24, 1024), 1024, 1024),
        (512, (6, 1024), 1024, 1024),
    ],
)
def test_rows_are_kept_apart_where_their_shape_stays(
    hidden: int, shape: tuple[int, ...], width: int, step: int, target: TargetProcessor
) -> None:
    graph = graph_of(two_layers(hidden, shape), {"x": (2, 6, 8), "w": (hidden, 8), "v": (5, width)})
    executor = compiled(engine(target), graph)
    assert lefts(executor) == [8, step]
    matches(executor, graph)
