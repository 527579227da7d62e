"""Arithmetic on two operands (two arrays, or an array and a number) where MXNet differs from numpy."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.ops.blocks import is_numpy
from hybridlint.runtime.ops.elementwise.families import dtype_of, through_float

#: Powers that numpy computes in another way, exactly.
_FAST = frozenset({-1.0, 0.0, 1.0, 2.0})


def divide(xp: Any, lhs: Any, rhs: Any, out: Any) -> Any:
    """Divide. Integer quotients are truncated; an integer divided by 0 is 0 (where MXNet aborts the process)."""
    if dtype_of(lhs, rhs).kind == "f":
        return xp.true_divide(lhs, rhs, out=out)
    zero = xp.equal(rhs, 0)
    quotient = xp.trunc(xp.true_divide(lhs, xp.where(zero, 1, rhs)))
    return _finish(xp, xp.where(zero, 0, quotient), dtype_of(lhs, rhs), out)


def modulo(xp: Any, lhs: Any, rhs: Any, out: Any) -> Any:
    """Return the remainder with the sign of the divisor; 0 for a divisor of 0."""
    zero = xp.equal(rhs, 0)
    remainder = xp.remainder(lhs, xp.where(zero, 1, rhs))
    return _finish(xp, xp.where(zero, 0, remainder), dtype_of(lhs, rhs), out)


@through_float
def power(xp: Any, lhs: Any, rhs: Any, out: Any) -> Any:
    """Raise to a power."""
    if isinstance(rhs, float) and rhs.is_integer() and rhs not in _FAST and is_numpy(xp):
        # numpy computes powers of negative numbers one by one.
        size = xp.abs(lhs)
        if rhs % 2:
            return xp.copysign(xp.power(size, rhs, out=size), lhs, out=out)
        return xp.power(size, rhs, out=out)
    return xp.power(lhs, rhs, out=out)


@through_float
def hypot(xp: Any, lhs: Any, rhs: Any, out: Any) -> Any:
    """Return ``sqrt(lhs**2 + rhs**2)``."""
    return xp.hypot(lhs, rhs, out=out)


def _finish(xp: Any, result: Any, dtype: Any, out: Any) -> Any:
    if out is None:
        return result.astype(dtype, copy=False)
    xp.copyto(out, result, casting="unsafe")
    return out
