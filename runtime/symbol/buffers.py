"""Memory that several executors use in turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from math import prod
from typing import Any

import numpy as np

from hybridlint.runtime.context import Context

#: Returns zeros of a shape and dtype on a context.
Zeros = Callable[[Any, Any, Context], Any]


class Buffers:
    """Arrays for an executor. Arguments in `names` reuse the `kept` arrays of another executor that fit.

    The others are parts of the `shared` arrays, which grow as needed; without these all are new.
    """

    def __init__(
        self, zeros: Zeros, shared: MutableMapping[str, Any] | None, kept: Mapping[str, Any], names: Collection[str]
    ) -> None:
        self._zeros, self._shared, self._kept, self._names = zeros, shared, kept, names

    def array(self, name: str, shape: Any, dtype: Any, ctx: Context, *, key: str = "{}") -> Any:
        """Return the array of an argument or state; that of its gradient under the `key` ``grad of {}``."""
        place = key.format(name)
        if name in self._names:
            kept = self._kept.get(place)
            fits = kept is not None and kept.shape == tuple(shape) and kept.dtype == np.dtype(dtype)
            return kept if fits else self._zeros(shape, dtype, ctx)
        if self._shared is None:
            return self._zeros(shape, dtype, ctx)
        size, buffer = prod(shape), self._shared.get(place)
        if buffer is None or buffer.size < size or buffer.dtype != np.dtype(dtype):
            buffer = self._shared[place] = self._zeros(shape, dtype, ctx)
        return type(buffer)._wrap(buffer._data.reshape(-1)[:size].reshape(shape))._on(ctx)


class OutputMemory:
    """The memory of an executor's outputs, which the executors that were reshaped from it write too."""

    def __init__(self, outputs: Sequence[Any], before: OutputMemory | None = None) -> None:
        """Move outputs into the earlier memory `before` if they fit, else into their own."""
        self._flat: list[Any] = []
        for k, output in enumerate(outputs):
            raw = output._data
            old = None if before is None else before._flat[k]
            fits = old is not None and old.dtype == raw.dtype and old.size >= raw.size
            self._flat.append(old if fits else raw.reshape(-1).copy())
            output._data = self._part(k, raw.shape)

    def store(self, k: int, raw: Any) -> Any:
        """Write an output, and return it as a part of the memory."""
        part = self._part(k, raw.shape)
        part[...] = raw
        return part

    def _part(self, k: int, shape: Any) -> Any:
        return self._flat[k][: prod(shape)].reshape(shape)
