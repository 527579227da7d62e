"""Selection of elements of two arrays by a condition."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.ops.blocks import is_numpy

#: From so many elements on, bits are faster than numpy's `where`, which jumps for each element.
_MANY = 1 << 14
#: Whole numbers as wide as the elements of a dtype. Wider ones gain nothing.
_BITS = {1: "int8", 2: "int16", 4: "int32"}


def select(xp: Any, condition: Any, x: Any, y: Any) -> Any:
    """Return elements of x where a boolean array is true, else those of y: arrays of one dtype, or one and a number.

    The result has the arrays' dtype. On numpy many elements are chosen by their bits.
    """
    dtype = x.dtype if hasattr(x, "dtype") else y.dtype
    bits = _BITS.get(dtype.itemsize)
    if not is_numpy(xp) or condition.size < _MANY or dtype.kind not in "fiu" or bits is None:
        return xp.where(condition, x, y)
    mask = condition.view("int8").astype(bits)
    xp.negative(mask, out=mask)
    x, y = (xp.asarray(side, dtype).view(bits) for side in (x, y))
    differing = xp.bitwise_xor(x, y)
    mask = xp.bitwise_and(mask, differing, out=mask if mask.shape == differing.shape else None)
    return xp.bitwise_xor(mask, y, out=mask).view(dtype)
