"""The CPU platform, based on numpy."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np

from hybridlint.runtime.core import generators
from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.protocol import Raw


class NumpyPlatform:
    """Arrays in main memory, computed with numpy. See `Platform` for the methods."""

    name = "numpy"
    xp: Any = np

    def quiet(self) -> AbstractContextManager[Any]:
        return np.errstate(all="ignore")

    def reserve(self, size: int) -> Raw:
        return np.empty(size, np.uint8)

    def view(self, memory: Raw, held: TensorType) -> Raw:
        dtype = np.dtype(held.dtype or "float32")
        shape = tuple(d for d in held.shape or () if isinstance(d, int))
        count = product(shape)
        assert isinstance(count, int)
        return memory[: count * dtype.itemsize].view(dtype).reshape(shape)

    def owned(self, raw: Raw, sources: Sequence[Raw | None]) -> Raw:
        if raw.base is None and all(raw is not r for r in sources) and raw.flags.c_contiguous:
            return raw
        if any(r is not None and np.may_share_memory(raw, r) for r in sources) or not raw.flags.c_contiguous:
            return np.array(raw, order="C")
        return raw

    def generator(self) -> np.random.Generator:
        return generators.generator()


NUMPY: Final = NumpyPlatform()
