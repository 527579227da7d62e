"""GPUs that are not there: a test's platform, with numpy's arithmetic behind what CuPy has."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any

import numpy as np

from hybridlint.runtime.core import generators
from hybridlint.runtime.platforms.arrays import ArrayPlatform
from hybridlint.runtime.platforms.device_errors import Failures
from hybridlint.runtime.platforms.protocol import Platform, Raw
from hybridlint.runtime.platforms.toolkit import Toolkit
from tests.runtime.gpu.arrays import ndarray, on_device, wrapped
from tests.runtime.gpu.calls import DeviceArray, call, opened, signature_of
from tests.runtime.gpu.module import Module
from tests.runtime.gpu.surface import kept

MODULE = Module()
_GIB = 1 << 30


class Generator:
    """A random generator with the methods of CuPy's alone."""

    def __init__(self, seed: int | None) -> None:
        self._numpy = np.random.default_rng(seed)

    def __getattr__(self, name: str) -> Any:
        if name not in kept()["generator_methods"]:
            raise AttributeError(f"'Generator' object has no attribute {name!r}")
        known, function = signature_of("generator_methods", name), getattr(self._numpy, name)

        def draw(*args: Any, **kwargs: Any) -> Any:
            MODULE.check(args, kwargs)
            return wrapped(np.asarray(call(f"random.{name}", function, known, args, kwargs)), MODULE.device_id)

        return draw


class FakePlatform(ArrayPlatform):
    """One GPU that is not there. See `Platform` for the methods."""

    name = "fake"
    xp: Any = MODULE

    def __init__(self, device: int, toolkit: Toolkit | None = None) -> None:
        self.device: int | None = device
        #: What runs compiled code; without one, only the array module computes.
        self.toolkit: Toolkit | None = toolkit
        self._failures = None if toolkit is None else Failures(device, toolkit)
        self._number = device
        #: How often somebody waited for it.
        self.waited = 0

    def computing(self) -> AbstractContextManager[Any]:
        here = on_device(self._number)
        return here if self._failures is None else self._failures.within(here)

    def reserve(self, size: int) -> Raw:
        with self.computing():
            return MODULE.empty(size, "uint8")  # type: ignore[no-any-return]

    def generator(self) -> Any:
        return generators.generator(f"gpu({self.device})", Generator)

    def to_host(self, raw: Raw) -> Raw:
        assert isinstance(raw, DeviceArray)
        return opened(raw).copy()  # type: ignore[no-any-return]

    def from_host(self, raw: Raw) -> Raw:
        assert isinstance(raw, np.ndarray | np.generic)
        return ndarray(np.array(raw, order="C"), self._number)  # type: ignore[return-value]

    def wait(self) -> None:
        self.waited += 1


class FakeDevices:
    """Some GPUs that are not there. See `Devices`."""

    def __init__(self, count: int, toolkit: Toolkit | None = None) -> None:
        self.platforms = [FakePlatform(number, toolkit) for number in range(count)]

    def missing(self) -> str | None:
        return None if self.platforms else "there is none"

    def count(self) -> int:
        return len(self.platforms)

    def platform(self, number: int) -> Platform:
        return self.platforms[number]

    def holder(self, raw: Any) -> int | None:
        return raw.device_id if isinstance(raw, ndarray) else None

    def memory(self, number: int) -> tuple[int, int]:
        return _GIB, 2 * _GIB

    def wait(self) -> None:
        for platform in self.platforms:
            platform.wait()

    def release(self, number: int) -> None:
        pass
