"""GPUs of NVIDIA, through CuPy. Nothing here has met a device yet: `docs/gpu.md` says what was tried without one."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Final

from hybridlint.runtime.core import generators
from hybridlint.runtime.platforms.arrays import ArrayPlatform
from hybridlint.runtime.platforms.cupy_toolkit import CupyToolkit
from hybridlint.runtime.platforms.device_errors import Failures, first_line
from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.platforms.toolkit import Toolkit

_INSTALL = "pip install 'hybridlint[cuda12]', or hybridlint[cuda13] for a driver of CUDA 13"


class CupyPlatform(ArrayPlatform):
    """Arrays on one GPU, computed with CuPy. See `Platform` for the methods."""

    name = "cupy"

    def __init__(self, module: Any, device: int) -> None:
        self.xp = module
        self.device: int | None = device
        toolkit = CupyToolkit(module)
        self.toolkit: Toolkit | None = toolkit
        self.failures = Failures(device, toolkit)

    def computing(self) -> AbstractContextManager[Any]:
        return self.failures.within(self.xp.cuda.Device(self.device))

    def reserve(self, size: int) -> Raw:
        with self.computing():
            return self.xp.empty(size, "uint8")  # type: ignore[no-any-return]

    def generator(self) -> Any:
        return generators.generator(f"gpu({self.device})", self._seeded)

    def _seeded(self, seed: int | None) -> Any:
        with self.computing():
            return self.xp.random.default_rng(seed)

    def to_host(self, raw: Raw) -> Raw:
        with self.computing():
            return self.xp.asnumpy(raw)  # type: ignore[no-any-return]

    def from_host(self, raw: Raw) -> Raw:
        with self.computing():
            return self.xp.asarray(raw, order="C")  # type: ignore[no-any-return]

    def wait(self) -> None:
        with self.computing():
            self.xp.cuda.Device(self.device).synchronize()


class CupyDevices:
    """The GPUs that CuPy finds. See `Devices`; CuPy is imported when the first of them is asked for."""

    def __init__(self) -> None:
        self._used: dict[int, CupyPlatform] = {}

    @cached_property
    def _found(self) -> tuple[Any, int, str | None]:
        """CuPy's module, the number of GPUs, and what is missing."""
        if find_spec("cupy") is None:
            return None, 0, f"CuPy is not installed: {_INSTALL}"
        try:
            module = import_module("cupy")
        except Exception as error:
            # It looks for libraries and asks them: an installation that does not fit fails in many ways.
            return None, 0, f"CuPy cannot be imported ({first_line(error)}): {_INSTALL}"
        try:
            count = int(module.cuda.runtime.getDeviceCount())
        except module.cuda.runtime.CUDARuntimeError as error:
            return None, 0, f"CuPy finds no driver that suits its CUDA ({first_line(error)})"
        return (module, count, None) if count else (None, 0, "CuPy finds no GPU")

    def missing(self) -> str | None:
        return self._found[2]

    def count(self) -> int:
        return self._found[1]

    def platform(self, number: int) -> CupyPlatform:
        found = self._used.get(number)
        if found is None:
            found = self._used[number] = CupyPlatform(self._found[0], number)
        return found

    def holder(self, raw: Any) -> int | None:
        # An array of CuPy can only be there once this module has imported CuPy.
        if "_found" not in vars(self) or self._found[0] is None:
            return None
        return int(raw.device.id) if isinstance(raw, self._found[0].ndarray) else None

    def memory(self, number: int) -> tuple[int, int]:
        with self.platform(number).computing():
            free, total = self._found[0].cuda.Device(number).mem_info
        return int(free), int(total)

    def wait(self) -> None:
        for platform in self._used.values():
            # Of one that is lost there is nothing to wait for, and it has been told.
            if platform.failures.lost is None:
                platform.wait()

    def release(self, number: int) -> None:
        with self.platform(number).computing():
            self._found[0].get_default_memory_pool().free_all_blocks()


CUPY: Final = CupyDevices()
