"""The available engines and the default one."""

from __future__ import annotations

from hybridlint.runtime.compiled.executor.protocol import Engine
from hybridlint.runtime.compiled.executor.straight_line import StraightLineEngine
from hybridlint.runtime.platforms.numpy_platform import NUMPY

_NUMPY: Engine = StraightLineEngine(NUMPY)


def default_engine() -> Engine:
    """Return the default engine: straight-line calls of numpy kernels."""
    return _NUMPY
