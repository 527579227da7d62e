"""Element-wise operators of one array."""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.ops.elementwise.families import as_number, native, through_float, unary

# Of a tensor without dimensions numpy's functions make a number, which is no place to write to: so `asarray`.


def _sigmoid(xp: Any, x: Any, out: Any) -> Any:
    y = xp.asarray(xp.negative(x, out=out))
    xp.exp(y, out=y)
    xp.add(y, 1, out=y)
    return xp.reciprocal(y, out=y)


def _softsign(xp: Any, x: Any, out: Any) -> Any:
    return xp.divide(x, xp.abs(x) + 1, out=out)


def round_half_away(xp: Any, x: Any, out: Any) -> Any:
    """Round to integers, halves away from zero (numpy rounds halves to even)."""
    return xp.copysign(xp.floor(xp.abs(x) + 0.5), x, out=out)


def _relu(xp: Any, x: Any, out: Any) -> Any:
    return xp.maximum(x, 0, out=out)


def _rsqrt(xp: Any, x: Any, out: Any) -> Any:
    y = xp.asarray(xp.sqrt(x, out=out))
    return xp.reciprocal(y, out=y)


def _rcbrt(xp: Any, x: Any, out: Any) -> Any:
    y = xp.asarray(xp.cbrt(x, out=out))
    return xp.reciprocal(y, out=y)


_PER_DEGREE = math.pi / 180


def _turned(F: Any, slope: Any) -> Any:
    """Return a slope whose own derivative has the other sign, as those of MXNet's inverse hyperbolic functions do."""
    return 2 * F.BlockGrad(slope) - slope


unary(
    "abs",
    "Absolute value.",
    native("abs"),
    lambda F, g, x, y: g * F.sign(x),
    numpy_names=("abs", "absolute", "fabs"),
    method="abs",
    differentiable_twice=True,
)
unary(
    "negative",
    "The number with the other sign.",
    native("negative"),
    lambda F, g, x, y: -g,
    numpy_names=("negative",),
    differentiable_twice=True,
)
unary(
    "sign",
    "-1, 0 or 1 as the number is negative, zero or positive.",
    native("sign"),
    numpy_names=("sign",),
    method="sign",
)
unary(
    "square",
    "The number times itself.",
    native("square"),
    lambda F, g, x, y: g * x * 2.0,
    numpy_names=("square",),
    method="square",
    differentiable_twice=True,
)
unary(
    "reciprocal",
    "One divided by the number.",
    "reciprocal",
    lambda F, g, x, y: -(g * y * y),
    domain=(0.5, 2),
    sparse=False,
    method="reciprocal",
    differentiable_twice=True,
)
unary(
    "relu",
    "The number, or 0 where it is negative.",
    through_float(_relu),
    # The sign of what is no number is none, and so is the slope there.
    lambda F, g, x, y: g * F.sign(y),
    method="relu",
    differentiable_twice=True,
)
unary(
    "sigmoid",
    "The logistic function, 1 / (1 + exp(-x)).",
    through_float(_sigmoid),
    lambda F, g, x, y: g * y * (1 - y),
    method="sigmoid",
    differentiable_twice=True,
)
unary(
    "softsign",
    "x / (1 + abs(x)).",
    through_float(_softsign),
    lambda F, g, x, y: g * F.square(1 - F.abs(y)),
    sparse=False,
)
unary(
    "logical_not",
    "1 where the number is 0, else 0.",
    as_number("logical_not"),
    numpy_names=("logical_not",),
    sparse=False,
)

unary("exp", "e to the power of the number.", "exp", lambda F, g, x, y: g * y, method="exp", differentiable_twice=True)
unary(
    "expm1",
    "exp(x) - 1, precise near 0.",
    "expm1",
    lambda F, g, x, y: g * (y + 1),
    method="expm1",
    differentiable_twice=True,
)
unary(
    "log",
    "Natural logarithm.",
    "log",
    lambda F, g, x, y: g / x,
    domain=(0.1, 3),
    method="log",
    differentiable_twice=True,
)
unary(
    "log2",
    "Logarithm to base 2.",
    "log2",
    lambda F, g, x, y: g / (x * math.log(2)),
    domain=(0.1, 3),
    sparse=True,
    method="log2",
    differentiable_twice=True,
)
unary(
    "log10",
    "Logarithm to base 10.",
    "log10",
    lambda F, g, x, y: g / (x * math.log(10)),
    domain=(0.1, 3),
    method="log10",
    differentiable_twice=True,
)
unary(
    "log1p",
    "log(1 + x), precise near 0.",
    "log1p",
    lambda F, g, x, y: g / (x + 1),
    domain=(-0.9, 3),
    method="log1p",
    differentiable_twice=True,
)
unary(
    "sqrt",
    "Square root.",
    "sqrt",
    lambda F, g, x, y: g * 0.5 / y,
    domain=(0.1, 4),
    method="sqrt",
    differentiable_twice=True,
)
unary(
    "rsqrt",
    "One divided by the square root.",
    through_float(_rsqrt),
    lambda F, g, x, y: g * -0.5 * y / x,
    domain=(0.2, 4),
    method="rsqrt",
    differentiable_twice=True,
)
unary(
    "cbrt",
    "Cube root.",
    "cbrt",
    lambda F, g, x, y: g / (y * y * 3.0),
    domain=(0.1, 3),
    method="cbrt",
    differentiable_twice=True,
)
unary(
    "rcbrt",
    "One divided by the cube root.",
    through_float(_rcbrt),
    lambda F, g, x, y: g * y / (x * -3.0),
    domain=(0.2, 4),
    sparse=False,
    method="rcbrt",
    differentiable_twice=True,
)

unary(
    "sin",
    "Sine of an angle in radians.",
    "sin",
    lambda F, g, x, y: g * F.cos(x),
    method="sin",
    differentiable_twice=True,
)
unary(
    "cos",
    "Cosine of an angle in radians.",
    "cos",
    lambda F, g, x, y: -(g * F.sin(x)),
    method="cos",
    differentiable_twice=True,
)
unary(
    "tan",
    "Tangent of an angle in radians.",
    "tan",
    lambda F, g, x, y: g * (y * y + 1),
    domain=(-1.2, 1.2),
    method="tan",
    differentiable_twice=True,
)
unary(
    "arcsin",
    "Inverse sine.",
    "arcsin",
    lambda F, g, x, y: g * F.rsqrt(1 - x * x),
    domain=(-0.9, 0.9),
    numpy_names=("arcsin", "asin"),
    method="arcsin",
    differentiable_twice=True,
)
unary(
    "arccos",
    "Inverse cosine.",
    "arccos",
    lambda F, g, x, y: -(g * F.rsqrt(1 - x * x)),
    domain=(-0.9, 0.9),
    numpy_names=("arccos", "acos"),
    method="arccos",
    differentiable_twice=True,
)
unary(
    "arctan",
    "Inverse tangent.",
    "arctan",
    lambda F, g, x, y: g / (x * x + 1),
    numpy_names=("arctan", "atan"),
    method="arctan",
    differentiable_twice=True,
)
unary("sinh", "Hyperbolic sine.", "sinh", lambda F, g, x, y: g * F.cosh(x), method="sinh", differentiable_twice=True)
unary("cosh", "Hyperbolic cosine.", "cosh", lambda F, g, x, y: g * F.sinh(x), method="cosh", differentiable_twice=True)
unary(
    "tanh", "Hyperbolic tangent.", "tanh", lambda F, g, x, y: g * (1 - y * y), method="tanh", differentiable_twice=True
)
unary(
    "arcsinh",
    "Inverse hyperbolic sine.",
    "arcsinh",
    lambda F, g, x, y: g * _turned(F, F.rsqrt(x * x + 1)),
    numpy_names=("arcsinh", "asinh"),
    method="arcsinh",
    differentiable_twice=True,
)
unary(
    "arccosh",
    "Inverse hyperbolic cosine.",
    "arccosh",
    # Dense also beside a gradient in sparse storage, whose zeros meet slopes that are no numbers.
    lambda F, g, x, y: F.broadcast_mul(g, _turned(F, F.rsqrt(x * x - 1))),
    domain=(1.1, 3),
    numpy_names=("arccosh", "acosh"),
    method="arccosh",
    differentiable_twice=True,
)
unary(
    "arctanh",
    "Inverse hyperbolic tangent.",
    "arctanh",
    lambda F, g, x, y: g / (1 - x * x),
    domain=(-0.9, 0.9),
    numpy_names=("arctanh", "atanh"),
    method="arctanh",
    differentiable_twice=True,
)
unary(
    "degrees",
    "Radians to degrees.",
    "degrees",
    lambda F, g, x, y: g * (1 / _PER_DEGREE),
    numpy_names=("degrees", "rad2deg"),
    method="degrees",
)
unary(
    "radians",
    "Degrees to radians.",
    "radians",
    lambda F, g, x, y: g * _PER_DEGREE,
    numpy_names=("radians", "deg2rad"),
    method="radians",
    differentiable_twice=True,
)

unary("floor", "The nearest whole number below.", "floor", method="floor")
unary("ceil", "The nearest whole number above.", "ceil", method="ceil")
unary("trunc", "The nearest whole number towards 0.", "trunc", method="trunc")
unary("fix", "The nearest whole number towards 0.", "trunc", numpy_names=("fix",), distinct=False, method="fix")
unary(
    "rint",
    "The nearest whole number, halves to the even one.",
    "rint",
    numpy_names=("rint", "round", "around"),
    distinct=False,
    method="rint",
)
unary("round", "The nearest whole number, halves away from 0.", through_float(round_half_away), method="round")
