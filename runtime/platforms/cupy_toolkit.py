"""Compiled code on GPUs of NVIDIA, through CuPy's modules, which NVRTC compiles, and its graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.platforms.toolkit import Launcher

#: Products and sums are rounded one by one, as eager operators round them.
OPTIONS = ("--std=c++17", "--fmad=false")
#: What CuPy raises for the runtime, the driver, the compiler and the library of products.
_ERRORS = (
    "runtime.CUDARuntimeError",
    "driver.CUDADriverError",
    "nvrtc.NVRTCError",
    "compiler.CompileException",
    "cublas.CUBLASError",
)


class CupyToolkit:
    """CuPy's compiler, launches and matrix products of a GPU. See `Toolkit`."""

    def __init__(self, module: Any) -> None:
        self._cupy = module

    @cached_property
    def failures(self) -> tuple[type[Exception], ...]:
        # CuPy loads a library of CUDA when it is first asked for, and says by an ImportError that it is not there.
        return (*filter(None, map(self._error, _ERRORS)), ImportError)

    def _error(self, path: str) -> type[Exception] | None:
        """Return a class of errors by its name in ``cupy.cuda``; None where the library that raises it is not there."""
        found = self._cupy.cuda
        try:
            for name in path.split("."):
                found = getattr(found, name)
        except (AttributeError, ImportError):
            return None
        error: type[Exception] = found
        return error

    @cached_property
    def memory_errors(self) -> tuple[type[Exception], ...]:
        return (self._cupy.cuda.memory.OutOfMemoryError,)

    @property
    def compiler(self) -> str:
        major, minor = self._cupy.cuda.nvrtc.getVersion()
        return f"NVRTC {major}.{minor}"

    def functions(self, source: str, names: Sequence[str]) -> Sequence[Launcher]:
        module = self._cupy.RawModule(code=source, options=OPTIONS, backend="nvrtc")
        return [module.get_function(name) for name in names]

    def address(self, raw: Raw) -> int:
        return int(raw.data.ptr)  # type: ignore[attr-defined]

    def captured(self, work: Callable[[], None]) -> Callable[[], None]:
        # The default stream cannot be captured; what was asked of it before has to be done first.
        stream = self._cupy.cuda.Stream(non_blocking=True)
        self._cupy.cuda.get_current_stream().synchronize()
        with stream:
            stream.begin_capture()
            try:
                work()
            finally:
                graph = stream.end_capture()
        launch: Callable[[], None] = graph.launch
        return launch
