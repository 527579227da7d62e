"""Platforms: the array module, memory and random numbers of a kind of device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.devices import devices, on_gpu
from hybridlint.runtime.platforms.failed import Failed
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Platform, Raw

_HOST = (np.ndarray, np.generic, Failed)


def platform_of(arrays: Sequence[Raw | None]) -> Platform:
    """Return the platform that holds the arrays, main memory for none. Raises MXNetError if several hold them."""
    for raw in arrays:
        if type(raw) is not np.ndarray and raw is not None and not isinstance(raw, _HOST):
            return _shared(arrays)
    return NUMPY


def _shared(arrays: Sequence[Raw | None]) -> Platform:
    first: str | None = None
    for place, raw in enumerate(arrays):
        if raw is None:
            continue
        here = where(raw)
        if first is None:
            first = here
        elif here != first:
            raise MXNetError(
                "require all inputs live on the same context. "
                f"But the first argument is on {first} while the {place + 1}-th argument is on {here}"
            )
    held = next(raw for raw in arrays if raw is not None)
    number = device_of(held)
    return NUMPY if number is None else on_gpu(number)


def device_of(raw: Raw) -> int | None:
    """Return the number of the GPU that holds an array; None for main memory."""
    return None if isinstance(raw, _HOST) else devices().holder(raw)


def where(raw: Raw) -> str:
    """Return the name of the context that holds an array."""
    number = device_of(raw)
    return "cpu(0)" if number is None else f"gpu({number})"


def move_array(raw: Raw, target: Platform) -> Raw:
    """Return an array on a platform: itself if it is there, otherwise a copy."""
    source = platform_of([raw])
    return raw if source is target else target.from_host(source.to_host(raw))


def element_type(held: TensorType) -> Any:
    """Return the numpy element type, which MXNet's arrays report as `dtype` on every device."""
    return np.dtype(held.dtype or "float32").type
