"""The CPU platform, based on numpy."""

from __future__ import annotations

from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np

from hybridlint.runtime.core import generators
from hybridlint.runtime.platforms.arrays import ArrayPlatform
from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.platforms.toolkit import Toolkit


class NumpyPlatform(ArrayPlatform):
    """Arrays in main memory, computed with numpy. See `Platform` for the methods."""

    name = "numpy"
    device: int | None = None
    toolkit: Toolkit | None = None
    xp: Any = np

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
