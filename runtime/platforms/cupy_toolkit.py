"""Compiled code on GPUs of NVIDIA, through CuPy's modules, which NVRTC compiles, and its graphs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.platforms.toolkit import Launcher

#: Products and sums are rounded one by one, as eager operators round them.
OPTIONS = ("--std=c++17", "--fmad=false")


class CupyToolkit:
    """See `Toolkit`."""

    def __init__(self, module: Any) -> None:
        self._cupy = module

    @cached_property
    def failures(self) -> tuple[type[Exception], ...]:
        cuda = self._cupy.cuda
        named = (
            (cuda.runtime, "CUDARuntimeError"),
            (cuda.driver, "CUDADriverError"),
            (cuda.nvrtc, "NVRTCError"),
            (cuda.compiler, "CompileException"),
            (cuda.cublas, "CUBLASError"),
        )
        return tuple(getattr(module, name) for module, name in named if hasattr(module, name))

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
