"""Platforms: the array module, memory and random numbers of a kind of device."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.numpy_platform import NUMPY
from hybridlint.runtime.platforms.protocol import Platform, Raw


def platform_of(arrays: Sequence[Raw | None]) -> Platform:
    """Return the platform of the arrays. numpy is the only one so far."""
    return NUMPY


def element_type(held: TensorType) -> Any:
    """Return the numpy element type, which MXNet's arrays report as `dtype` on every device."""
    return np.dtype(held.dtype or "float32").type
