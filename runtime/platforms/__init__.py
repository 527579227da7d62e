"""Platforms: the array module of a kind of device, with its memory and its random numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Platform, Raw
from hybridlint.runtime.types import TensorType


def platform_of(arrays: Sequence[Raw | None]) -> Platform:
    """Return the platform that the arrays live on: numpy's, the only one so far."""
    return NUMPY


def element_type(held: TensorType) -> Any:
    """Return numpy's type of an element, which is what MXNet's arrays have as `dtype` on every device."""
    return np.dtype(held.dtype or "float32").type
