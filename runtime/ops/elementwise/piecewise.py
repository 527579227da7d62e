"""Element-wise operators with a parameter, and operators whose gradient is not their derivative."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.storage import STORED, Fallback, Storage, on_values
from hybridlint.runtime.ops.elementwise.families import native, numeric, store, through_float, unary
from hybridlint.runtime.ops.elementwise.selection import same_type
from hybridlint.runtime.ops.elementwise.unary import round_half_away


def _smooth_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, scalar: float) -> tuple[Any, ...]:
    x = ins[0]
    near = F.abs(x) < 1 / scalar**2
    return (g * (near * x * scalar**2 + (1 - near) * F.sign(x)),)


@op(infer=numeric, grad=_smooth_grad, samples=[sample((2, 3)), sample((2, 3), scalar=2.0)])
def smooth_l1(xp: Any, data: Any, /, *, scalar: float = 1.0, out: Any = None) -> Any:
    """Return ``abs(x) - 0.5 / s**2``, or ``(s * x)**2 / 2`` where abs(x) is below 1 / s**2; s is `scalar`."""
    square = scalar * scalar

    def compute(xp: Any, x: Any, out: Any) -> Any:
        size = xp.abs(x)
        return store(xp, xp.where(size < 1 / square, 0.5 * square * x * x, size - 0.5 / square).astype(x.dtype), out)

    return through_float(compute)(xp, data, out)


@op(
    infer=numeric,
    grad=lambda F, g, ins, outs, *, alpha: (g * (outs[0] > 0) * (outs[0] < 1) * alpha,),
    samples=[sample((2, 3), low=-4, high=4), sample((2, 3), alpha=0.4, beta=0.3)],
)
def hard_sigmoid(xp: Any, data: Any, /, *, alpha: float = 0.2, beta: float = 0.5, out: Any = None) -> Any:
    """Return alpha * x + beta, clipped to [0, 1]."""

    def compute(xp: Any, x: Any, out: Any) -> Any:
        y = xp.asarray(xp.multiply(x, alpha, out=out))
        xp.add(y, beta, out=y)
        xp.maximum(y, 0, out=y)
        return xp.minimum(y, 1, out=y)

    return through_float(compute)(xp, data, out)


@op(
    name="_contrib_quadratic",
    infer=numeric,
    grad=lambda F, g, ins, outs, *, a, b: (g * (ins[0] * (2 * a) + b),),
    samples=[sample((2, 3)), sample((2, 3), a=1.0, b=-2.0, c=0.5)],
    storage=Storage(lambda stypes, params: "csr" if stypes[0] == "csr" else Fallback(), on_values, keeps_zero=True),
)
def quadratic(xp: Any, data: Any, /, *, a: float = 0.0, b: float = 0.0, c: float = 0.0, out: Any = None) -> Any:
    """Return a * x**2 + b * x + c."""
    return through_float(lambda xp, x, out: xp.add(x * x * a + x * b, c, out=out))(xp, data, out)


@op(
    name="_contrib_gradientmultiplier",
    infer=same_type,
    grad=lambda F, g, ins, outs, *, scalar: (g * scalar,),
    samples=[sample((2, 3), scalar=0.5)],
    storage=STORED,
)
def gradient_multiplier(xp: Any, data: Any, /, *, scalar: float = 1.0, is_int: bool = True, out: Any = None) -> Any:
    """Return the array unchanged; its gradient is multiplied by `scalar`."""
    return data.copy() if out is None else store(xp, data, out)


@op(
    name="_contrib_div_sqrt_dim",
    infer=numeric,
    grad=lambda F, g, ins, outs: (F._contrib_div_sqrt_dim(g),),
    samples=[sample((2, 3)), sample((2, 2, 4))],
    differentiable_twice=True,
)
def div_sqrt_dim(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Divide by the square root of the size of the last dimension."""
    root = math.sqrt(data.shape[-1])
    return through_float(lambda xp, x, out: xp.true_divide(x, root, out=out))(xp, data, out)


def _straight_through(F: Any, g: Any, x: Any, y: Any) -> Any:
    return g


unary(
    "_contrib_round_ste",
    "Round halves away from 0; the gradient passes as if nothing had been rounded.",
    through_float(round_half_away),
    _straight_through,
    differentiable_twice=True,
)
unary(
    "_contrib_sign_ste",
    "The sign; the gradient passes unchanged.",
    native("sign"),
    _straight_through,
    differentiable_twice=True,
)
