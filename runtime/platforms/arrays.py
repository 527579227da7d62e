"""Common code of platforms with a numpy-like array module: views of memory, and arrays that share it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.protocol import Raw


class ArrayPlatform:
    """The part of `Platform` that is the same for every array module."""

    xp: Any

    def view(self, memory: Raw, held: TensorType) -> Raw:
        dtype = np.dtype(held.dtype or "float32")
        shape = tuple(d for d in held.shape or () if isinstance(d, int))
        count = product(shape)
        assert isinstance(count, int)
        return memory[: count * dtype.itemsize].view(dtype).reshape(shape)

    def owned(self, raw: Raw, sources: Sequence[Raw | None]) -> Raw:
        ordered = raw.flags.c_contiguous
        if raw.base is None and all(raw is not r for r in sources) and ordered:
            return raw
        if any(r is not None and self.xp.may_share_memory(raw, r) for r in sources) or not ordered:
            return self.copied(raw)
        return raw

    def copied(self, raw: Raw) -> Raw:
        """Return a copy in C order."""
        return self.xp.array(raw, order="C")  # type: ignore[no-any-return]
