"""Activations with a fixed formula: one row of the table each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, TensorType


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
    small = xp.asarray(xp.exp(xp.negative(xp.abs(x))))
    total = xp.asarray(1 + small)
    kept = xp.asarray(total - 1)
    small -= kept
    small /= total
    small += xp.log(total, out=total)
    return xp.add(small, xp.maximum(x, 0, out=kept), out=out)


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
