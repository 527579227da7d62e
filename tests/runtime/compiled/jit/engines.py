"""The engine `jit` for each kind of processor that this machine can play, and graphs to run on it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.jit.engine import JitEngine
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.llvm import features, is_installed
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TARGETS, TargetProcessor, runs
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.lowering import sizes_of
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.symbol.symbol import Symbol

#: Marks tests that need native code.
native = pytest.mark.skipif(not is_installed(), reason="llvmlite is not installed")


def engine(target: TargetProcessor) -> JitEngine:
    """Return the engine for a kind of processor, or skip the test where this machine is none."""
    if not runs(target, features()):
        pytest.skip(f"this processor is no {target.name}")
    return JitEngine(NUMPY, PLAIN, target)


each_target = pytest.mark.parametrize("target", TARGETS, ids=lambda target: target.name)


def graph_of(symbol: Symbol, shapes: Mapping[str, tuple[int, ...]]) -> Graph:
    return optimize(lower(symbol, {name: TensorType(shape, "float32") for name, shape in shapes.items()}))


def draw(graph: Graph, seed: int = 0) -> list[Raw]:
    """Return arrays for the inputs of a graph."""
    generator = np.random.default_rng(seed)
    shapes = [sizes_of(graph.types[v]) for v in graph.inputs]
    return [generator.normal(size=shape).astype("float32") for shape in shapes]


def compiled(made: JitEngine, graph: Graph, **options: Any) -> NativeExecutor:
    """Return the graph as native code; fails where nothing of it is native."""
    executor = made.compile(graph, training=False, **options)
    assert isinstance(executor, NativeExecutor)
    return executor


def assert_same(found: Sequence[Raw], expected: Sequence[Raw]) -> None:
    for a, b in zip(found, expected, strict=True):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        largest = float(np.abs(b[np.isfinite(b)]).max(initial=1))
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5 * largest)


def kernels(executor: NativeExecutor) -> Counter[str]:
    """Return how many kernels of each kind there are."""
    segments = [work for work in executor.work if isinstance(work, NativeSegment)]
    groups = [kernels for segment in segments for kernels in segment.groups()]
    return Counter(type(kernel).__name__ for group in groups for kernel in group)


def matches(executor: NativeExecutor, graph: Graph, seed: int = 0, arrays: Sequence[Raw] | None = None) -> None:
    """Check that native code computes what the plain engine does."""
    given = draw(graph, seed) if arrays is None else arrays
    assert_same(executor(given), PLAIN.compile(graph, training=False)(given))
