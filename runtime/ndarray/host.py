"""Arrays copied to the host: numpy arrays, except that a one-element array still converts to a number.

Until numpy 2.4 a one-element array of any rank could be converted to a Python number; now that is a TypeError. Gluon
code relies on it (``float(loss.asnumpy())``, ``"%f" % metric``), because legacy arrays have no scalars.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from hybridlint.runtime.platforms import Raw


class _OneElement(np.ndarray[Any, Any]):
    """A one-element numpy array that can be converted to a number."""

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __complex__(self) -> complex:
        return complex(self.item())

    def __repr__(self) -> str:
        return np.array_repr(self.view(np.ndarray))

    def __reduce__(self) -> Any:
        return self.view(np.ndarray).__reduce__()


def _refuses_numbers() -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            float(np.ones(1))  # type: ignore[arg-type, unused-ignore]
        except TypeError:
            return True
    return False


_WRAPPED = _refuses_numbers()


def to_host(raw: Raw) -> Raw:
    """Return a copy of an array for the user."""
    copy = raw.copy()
    return copy.view(_OneElement) if _WRAPPED and copy.size == 1 and copy.ndim else copy
