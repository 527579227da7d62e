"""The engine that compiles a graph: the argument of a call, else HYBRIDLINT_ENGINE, else the fastest here."""

from __future__ import annotations

import os
from functools import cache

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.jit.engine import JitEngine
from hybridlint.runtime.compiled.engines.numpy.straight_line import StraightLineEngine
from hybridlint.runtime.compiled.engines.onnx.engine import OnnxEngine
from hybridlint.runtime.compiled.engines.protocol import Engine
from hybridlint.runtime.platforms import Platform
from hybridlint.runtime.platforms.numpy_platform import NUMPY

VARIABLE = "HYBRIDLINT_ENGINE"
AUTO = "auto"

#: The engine that is always there, and the reference of the others.
PLAIN: Engine = StraightLineEngine(NUMPY)
#: Fastest first; those behind the plain one are only taken by name.
_ENGINES: tuple[Engine, ...] = (JitEngine(NUMPY, PLAIN), PLAIN, OnnxEngine(NUMPY, PLAIN))


def names() -> tuple[str, ...]:
    """Return the names of the engines."""
    return tuple(engine.name for engine in _ENGINES)


def chosen_engine(name: str | None = None) -> Engine:
    """Return the engine with this name; without a name that of HYBRIDLINT_ENGINE, else the fastest that works here.

    Raises MXNetError where there is no such engine, or where a package that it needs is missing.
    """
    named = name or os.environ.get(VARIABLE) or AUTO
    if named == AUTO:
        return next(engine for engine in _ENGINES if engine.missing() is None)
    found = next((engine for engine in _ENGINES if engine.name == named), None)
    if found is None:
        origin = "" if name else f", which {VARIABLE} names"
        raise MXNetError(f"there is no engine {named!r}{origin}: choose {' or '.join((AUTO, *names()))}")
    lacking = found.missing()
    if lacking is not None:
        raise MXNetError(lacking)
    return found


def engine_on(platform: Platform, chosen: Engine) -> Engine:
    """Return the engine for arrays of a platform: the chosen one in main memory, else that of its GPU."""
    return chosen if platform is NUMPY else _of_gpu(platform)


@cache
def _of_gpu(platform: Platform) -> Engine:
    plain = StraightLineEngine(platform)
    toolkit = platform.toolkit
    if toolkit is None:
        return plain
    # Few machines have a GPU: all others need none of the code that writes kernels.
    from hybridlint.runtime.compiled.engines.cuda.engine import CudaEngine

    return CudaEngine(platform, toolkit, plain, PLAIN)
