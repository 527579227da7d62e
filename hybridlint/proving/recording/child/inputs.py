"""Descriptions of call inputs: shapes, dtypes and integer ranges, never the values themselves."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from hybridlint.proving.recording.descriptions import Description


def describe_input(value: Any, *, look: bool) -> Description:
    """Describe one input. With `look`, array values are read to find their range."""
    if isinstance(value, (list, tuple)):
        return {"list": [describe_input(item, look=look) for item in value]}
    if value is None or isinstance(value, (bool, int, float, str)):
        return {"expression": repr(value)}
    if not hasattr(value, "asnumpy"):
        return {"unknown": f"a {type(value).__name__}"}
    found = describe_type(value.shape, np.dtype(value.dtype).name)
    return {**found, **bounds(value.asnumpy())} if look else found


def describe_type(shape: Any, dtype: str) -> dict[str, Any]:
    """Describe an array of which only shape and dtype are known."""
    return {"shape": [int(size) for size in shape], "dtype": dtype}


def bounds(raw: Any) -> dict[str, Any]:
    """Return an array's range: with exclusive upper end for whole numbers; for other floats if none is negative."""
    if not raw.size or raw.dtype.kind not in "fiu" or not np.isfinite(raw).all():
        return {}
    low, high = float(raw.min()), float(raw.max())
    if bool((raw == np.floor(raw)).all()) and (raw.dtype.kind != "f" or low < high):
        return {"low": int(low), "high": int(high) + 1, "integers": True}
    return {"low": _rounded(low, math.floor), "high": _rounded(high, math.ceil)} if 0 <= low < high else {}


def _rounded(value: float, towards: Any) -> float:
    """Return a value rounded to two digits in the given direction, so that a range reveals no single value."""
    if not value:
        return 0.0
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{towards(value / unit) * unit:.2g}")
