"""Conversion of legacy tensors by numpy, which treats them as nested sequences.

MXNet's tensors do not implement numpy's array protocol, so ``np.abs(x)`` builds an object array as deep as numpy allows
and works on its elements. Newer versions of numpy raise instead; this module does what numpy did in MXNet's time.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def nested_object(value: Any, shape: tuple[int, ...], dimensions: int = 32) -> Any:
    """Return an array of objects that holds the elements of `value`.

    It has shape `shape`, followed by sizes of 1 up to `dimensions` dimensions.
    """
    result = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        result[place] = value[place] if place else value
    return result.reshape(shape + (1,) * (dimensions - len(shape)))
