"""The CPU platform, based on numpy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np

from hybridlint.runtime.core import generators
from hybridlint.runtime.platforms.arrays import ArrayPlatform
from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.platforms.toolkit import Toolkit

#: Elements so many bytes apart share the few lines of a cache that an address can be held in.
_ALIASED = 4096
#: So many elements of the last axis are copied at once then: as many as such a set of lines holds.
_STRIP = 8


class NumpyPlatform(ArrayPlatform):
    """Arrays in main memory, computed with numpy. See `Platform` for the methods."""

    name = "numpy"
    device: int | None = None
    toolkit: Toolkit | None = None
    xp: Any = np

    def copied(self, raw: Raw) -> Raw:
        if raw.ndim < 2 or raw.shape[-1] <= _STRIP or raw.strides[-1] == 0 or raw.strides[-1] % _ALIASED:
            return np.array(raw, order="C")
        result = np.empty(raw.shape, raw.dtype)
        for begin in range(0, raw.shape[-1], _STRIP):
            result[..., begin : begin + _STRIP] = raw[..., begin : begin + _STRIP]
        return result

    def computing(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def reserve(self, size: int) -> Raw:
        return np.empty(size, np.uint8)

    def generator(self) -> np.random.Generator:
        return generators.generator()  # type: ignore[no-any-return]

    def to_host(self, raw: Raw) -> Raw:
        return raw

    def from_host(self, raw: Raw) -> Raw:
        return raw

    def wait(self) -> None:
        pass


NUMPY: Final = NumpyPlatform()
