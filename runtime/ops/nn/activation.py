"""Activations with a fixed formula: one row of the table each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.blocks import ELEMENTS, blocks, is_numpy

#: atanh(x) / x for x up to a third as a polynomial of x * x, to the precision of float32, the lowest power first.
_NARROW_ATANH = (1.000000004, 0.3333315797, 0.2001242686, 0.1398070942, 0.1408732864)
#: So few elements are computed at once: blocks and their room cost more than they save.
_FEW = 1 << 10


@dataclass(frozen=True, slots=True)
class _Curve:
    """An activation: `apply` is ``(xp, x, out)``, `slope` its derivative ``(F, x, y)`` over the operator namespace."""

    apply: Callable[[Any, Any, Any], Any]
    slope: Callable[[Any, Any, Any], Any]


def sigmoid(xp: Any, x: Any, out: Any = None) -> Any:
    """Return the logistic function; accurate in both tails."""
    result = xp.asarray(xp.exp(xp.negative(x)))
    result += 1
    return xp.divide(1, result, out=result if out is None else out)


def _softsign(xp: Any, x: Any, out: Any) -> Any:
    return xp.divide(x, 1 + xp.abs(x), out=out)


def _softrelu(xp: Any, x: Any, out: Any) -> Any:
    """Compute max(x, 0) + log(1 + exp(-|x|)): numpy's own functions of sums of exponentials take ten times as long.

    The logarithm of a rounded sum is moved by what rounding has cut off, so that small ones are exact, too.
    """
    if is_numpy(xp) and x.dtype == "float32" and x.size > _FEW and x.flags.c_contiguous:
        result = xp.empty_like(x) if out is None else out
        if result.flags.c_contiguous:
            _narrow_softrelu(xp, x.reshape(-1), result.reshape(-1))
            return result
    small = xp.asarray(xp.exp(xp.negative(xp.abs(x))))
    total = xp.asarray(1 + small)
    kept = xp.asarray(total - 1)
    small -= kept
    small /= total
    small += xp.log(total, out=total)
    return xp.add(small, xp.maximum(x, 0, out=kept), out=out)


def _narrow_softrelu(xp: Any, given: Any, place: Any) -> None:
    """Store it for a vector of float32, block by block: ``log(1 + u)`` is ``2 * atanh(u / (2 + u))``."""
    most = min(len(given), ELEMENTS)
    scratch, zeros = xp.empty((3, most), given.dtype), xp.zeros(most, given.dtype)
    highest, *coefficients = (2 * c for c in reversed(_NARROW_ATANH))
    for part in blocks(len(given), ELEMENTS):
        x, into = given[part], place[part]
        share, square, total = (room[: len(x)] for room in scratch)
        xp.abs(x, out=share)
        xp.negative(share, out=share)
        xp.exp(share, out=share)
        xp.add(share, 2, out=square)
        xp.divide(share, square, out=share)
        xp.multiply(share, share, out=square)
        xp.multiply(square, highest, out=total)
        for number in coefficients[:-1]:
            xp.add(total, number, out=total)
            xp.multiply(total, square, out=total)
        xp.add(total, coefficients[-1], out=total)
        xp.multiply(total, share, out=total)
        # With a number numpy takes four times as long.
        xp.maximum(x, zeros[: len(x)], out=into)
        xp.add(into, total, out=into)


CURVES = {
    "relu": _Curve(lambda xp, x, out: xp.maximum(x, 0, out=out), lambda F, x, y: F._greater_scalar(y, scalar=0.0)),
    "sigmoid": _Curve(sigmoid, lambda F, x, y: y * (1 - y)),
    "tanh": _Curve(lambda xp, x, out: xp.tanh(x, out=out), lambda F, x, y: 1 - y * y),
    "softrelu": _Curve(_softrelu, lambda F, x, y: F.sigmoid(x)),
    "softsign": _Curve(_softsign, lambda F, x, y: F.square(1 - F.abs(y))),
}


@reversed_by(same)
def _infer(data: TensorType, *, act_type: str) -> TensorType:
    if act_type not in CURVES:
        raise InferError("act_type", f"expected one of {', '.join(CURVES)}, got {act_type!r}")
    return data


@op(
    name="Activation",
    infer=_infer,
    grad=lambda F, g, ins, outs, *, act_type: (g * CURVES[act_type].slope(F, ins[0], outs[0]),),
    samples=[sample((2, 3), act_type=name) for name in CURVES],
    pointwise=True,
)
def activation(
    xp: Any, data: Any, /, *, act_type: Literal["relu", "sigmoid", "softrelu", "softsign", "tanh"], out: Any = None
) -> Any:
    """Apply an activation element by element: relu, sigmoid, tanh, softrelu or softsign."""
    return CURVES[act_type].apply(xp, data, out)
