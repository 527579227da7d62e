"""Graphs as the engine `cuda` runs them on a device that is not there."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.cuda.engine import CudaEngine
from hybridlint.runtime.compiled.engines.cuda.engine_fallback import FallbackExecutor
from hybridlint.runtime.compiled.engines.numpy.straight_line import StraightLineEngine
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.platforms.toolkit import Launcher
from tests.runtime.gpu.cuda.shim import Shim
from tests.runtime.gpu.fake import FakePlatform


class NoCode(Shim):
    """A toolkit whose code is never run."""

    def functions(self, source: str, names: Sequence[str]) -> Sequence[Launcher]:
        return [lambda *_: None for _ in names]


def compiled(
    graph: Graph, shim: Shim | None = None, *, training: bool = False, static_alloc: bool = False
) -> FallbackExecutor:
    """Return a graph as the engine compiles it."""
    toolkit = shim or Shim()
    platform = FakePlatform(0, toolkit)
    engine = CudaEngine(platform, toolkit, StraightLineEngine(platform), PLAIN)
    executor = engine.compile(graph, training=training, static_alloc=static_alloc)
    assert isinstance(executor, FallbackExecutor)
    return executor


def run(executor: FallbackExecutor, arrays: Sequence[Raw]) -> list[Raw]:
    """Return what an executor computes of arrays of numpy, in main memory."""
    platform = executor.platform
    return [platform.to_host(raw) for raw in executor([platform.from_host(raw) for raw in arrays])]


def references(graph: Graph, arrays: Sequence[Raw]) -> list[Raw]:
    """Return what the graph computes with numpy."""
    return list(PLAIN.compile(graph, training=False)(arrays))


def assert_near(found: Sequence[Raw], expected: Sequence[Raw], relative: float = 2e-5) -> None:
    """Check types, and numbers up to rounding beside the largest of an array."""
    for k, (a, b) in enumerate(zip(found, expected, strict=True)):
        assert (a.shape, a.dtype) == (b.shape, b.dtype)
        largest = float(np.abs(b[np.isfinite(b)]).max(initial=1))
        np.testing.assert_allclose(a, b, rtol=relative, atol=relative * largest, err_msg=f"result {k}")
