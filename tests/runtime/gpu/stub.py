"""CuPy as the platform and its toolkit ask it, with devices that lack memory and get lost when a test wants it."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from types import SimpleNamespace
from typing import Any

from hybridlint.runtime.platforms.cupy_platform import CupyDevices
from tests.runtime.gpu.arrays import MEMORY, OutOfMemoryError, on_device
from tests.runtime.gpu.fake import MODULE, Generator


class CUDARuntimeError(RuntimeError):
    """What CuPy raises where the runtime of CUDA fails."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(said)
        self.status = status


class OtherError(Exception):
    """What CuPy raises where the compiler or the library of products fails."""


class Device(AbstractContextManager[Any]):
    """One device, by its number."""

    def __init__(self, stub: Stub, number: int) -> None:
        self._stub, self._number = stub, number
        self._here = on_device(number)

    def __enter__(self) -> None:
        self._stub.asked(self._number)
        self._here.__enter__()

    def __exit__(self, *told: Any) -> None:
        self._here.__exit__(*told)

    def synchronize(self) -> None:
        """Wait: what has failed meanwhile is told here."""
        self._stub.failing |= self._stub.about_to_fail
        self._stub.asked(self._number)

    @property
    def mem_info(self) -> tuple[int, int]:
        self._stub.asked(self._number)
        return 1, 2


class Stub:
    """The module `cupy`. Kernels are compiled by nobody: NVRTC fails."""

    def __init__(self) -> None:
        #: Numbers of devices that fail, and of those that will when somebody waits.
        self.failing: set[int] = set()
        self.about_to_fail: set[int] = set()
        #: How often each device was asked for something.
        self.questions: list[int] = []
        self.random = SimpleNamespace(default_rng=Generator)
        self.cuda = SimpleNamespace(
            Device=lambda number: Device(self, number),
            runtime=SimpleNamespace(CUDARuntimeError=CUDARuntimeError, getDeviceCount=lambda: 2),
            driver=SimpleNamespace(CUDADriverError=CUDARuntimeError),
            nvrtc=SimpleNamespace(NVRTCError=OtherError, getVersion=lambda: (12, 9)),
            compiler=SimpleNamespace(CompileException=OtherError),
            cublas=SimpleNamespace(CUBLASError=OtherError),
            memory=SimpleNamespace(OutOfMemoryError=OutOfMemoryError),
        )

    def __getattr__(self, name: str) -> Any:
        return getattr(MODULE, name)

    def RawModule(self, **_: Any) -> Any:  # noqa: N802
        raise OtherError("NVRTC_ERROR_COMPILATION")

    def asked(self, number: int) -> None:
        """Note a question to a device. Raises CUDARuntimeError for one that fails."""
        self.questions.append(number)
        if number in self.failing:
            raise CUDARuntimeError(719, "cudaErrorLaunchFailure: unspecified launch failure")


def stub_devices() -> tuple[Stub, CupyDevices]:
    """Return a stub of CuPy, and its two devices."""
    stub, devices = Stub(), CupyDevices()
    vars(devices)["_found"] = (stub, 2, None)
    return stub, devices


@contextmanager
def at_most(more: int) -> Iterator[None]:
    """Limit what arrays on the first device may take, beyond what they take, within a ``with`` block."""
    gc.collect()
    MEMORY.limit = MEMORY.used[0] + more
    try:
        yield
    finally:
        MEMORY.limit = None
