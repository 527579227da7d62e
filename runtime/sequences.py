"""What numpy makes of tensors of the legacy interface, which it takes for nested sequences.

MXNet's tensors tell numpy nothing about themselves, so that ``np.abs(x)`` builds an array of objects as deep as numpy
allows and works on its elements. Newer versions of numpy give up instead; this is what the version of MXNet's time did.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def nested_object(value: Any, shape: tuple[int, ...], dimensions: int = 32) -> Any:
    """Return an array of objects whose elements are those of `value`: of `shape`, and ones up to so many dimensions."""
    result = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        result[place] = value[place] if place else value
    return result.reshape(shape + (1,) * (dimensions - len(shape)))
