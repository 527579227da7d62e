"""What numpy makes of tensors of the legacy interface, which it takes for nested sequences.

MXNet's tensors tell numpy nothing about themselves, so that ``np.abs(x)`` builds an array of objects as deep as numpy
allows and works on its elements. Newer versions of numpy give up instead; this is what the version of MXNet's time did.
"""

from __future__ import annotations

from typing import Any

import numpy as np

_DEEPEST = 32


def nested_object(value: Any, shape: tuple[int, ...]) -> Any:
    """Return an array of objects of 32 dimensions: `shape` and then ones; its elements are those of `value`."""
    result = np.empty(shape, dtype=object)
    for place in np.ndindex(shape):
        result[place] = value[place] if place else value
    return result.reshape(shape + (1,) * (_DEEPEST - len(shape)))
