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

unary(
    "abs", "Absolute value.", native("abs"), lambda F, g, x, y: g * F.sign(x), numpy_names=("abs", "absolute", "fabs")
)
unary(
    "negative", "The number with the other sign.", native("negative"), lambda F, g, x, y: -g, numpy_names=("negative",)
)
unary("sign", "-1, 0 or 1 as the number is negative, zero or positive.", native("sign"), numpy_names=("sign",))
unary("square", "The number times itself.", native("square"), lambda F, g, x, y: g * x * 2.0, numpy_names=("square",))
unary(
    "reciprocal",
    "One divided by the number.",
    "reciprocal",
    lambda F, g, x, y: -(g * y * y),
    domain=(0.5, 2),
    sparse=False,
)
unary("relu", "The number, or 0 where it is negative.", through_float(_relu), lambda F, g, x, y: g * (y > 0))
unary(
    "sigmoid", "The logistic function, 1 / (1 + exp(-x)).", through_float(_sigmoid), lambda F, g, x, y: g * y * (1 - y)
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

unary("exp", "e to the power of the number.", "exp", lambda F, g, x, y: g * y)
unary("expm1", "exp(x) - 1, precise near 0.", "expm1", lambda F, g, x, y: g * (y + 1))
unary("log", "Natural logarithm.", "log", lambda F, g, x, y: g / x, domain=(0.1, 3))
unary("log2", "Logarithm to base 2.", "log2", lambda F, g, x, y: g / (x * math.log(2)), domain=(0.1, 3), sparse=True)
unary("log10", "Logarithm to base 10.", "log10", lambda F, g, x, y: g / (x * math.log(10)), domain=(0.1, 3))
unary("log1p", "log(1 + x), precise near 0.", "log1p", lambda F, g, x, y: g / (x + 1), domain=(-0.9, 3))
unary("sqrt", "Square root.", "sqrt", lambda F, g, x, y: g * 0.5 / y, domain=(0.1, 4))
unary(
    "rsqrt",
    "One divided by the square root.",
    through_float(_rsqrt),
    lambda F, g, x, y: g * -0.5 * y / x,
    domain=(0.2, 4),
)
unary("cbrt", "Cube root.", "cbrt", lambda F, g, x, y: g / (y * y * 3.0), domain=(0.1, 3))
unary(
    "rcbrt",
    "One divided by the cube root.",
    through_float(_rcbrt),
    lambda F, g, x, y: g * y / (x * -3.0),
    domain=(0.2, 4),
    sparse=False,
)

unary("sin", "Sine of an angle in radians.", "sin", lambda F, g, x, y: g * F.cos(x))
unary("cos", "Cosine of an angle in radians.", "cos", lambda F, g, x, y: -(g * F.sin(x)))
unary("tan", "Tangent of an angle in radians.", "tan", lambda F, g, x, y: g * (y * y + 1), domain=(-1.2, 1.2))
unary(
    "arcsin",
    "Inverse sine.",
    "arcsin",
    lambda F, g, x, y: g * F.rsqrt(1 - x * x),
    domain=(-0.9, 0.9),
    numpy_names=("arcsin", "asin"),
)
unary(
    "arccos",
    "Inverse cosine.",
    "arccos",
    lambda F, g, x, y: -(g * F.rsqrt(1 - x * x)),
    domain=(-0.9, 0.9),
    numpy_names=("arccos", "acos"),
)
unary("arctan", "Inverse tangent.", "arctan", lambda F, g, x, y: g / (x * x + 1), numpy_names=("arctan", "atan"))
unary("sinh", "Hyperbolic sine.", "sinh", lambda F, g, x, y: g * F.cosh(x))
unary("cosh", "Hyperbolic cosine.", "cosh", lambda F, g, x, y: g * F.sinh(x))
unary("tanh", "Hyperbolic tangent.", "tanh", lambda F, g, x, y: g * (1 - y * y))
unary(
    "arcsinh",
    "Inverse hyperbolic sine.",
    "arcsinh",
    lambda F, g, x, y: g * F.rsqrt(x * x + 1),
    numpy_names=("arcsinh", "asinh"),
)
unary(
    "arccosh",
    "Inverse hyperbolic cosine.",
    "arccosh",
    lambda F, g, x, y: g * F.rsqrt(x * x - 1),
    domain=(1.1, 3),
    numpy_names=("arccosh", "acosh"),
)
unary(
    "arctanh",
    "Inverse hyperbolic tangent.",
    "arctanh",
    lambda F, g, x, y: g / (1 - x * x),
    domain=(-0.9, 0.9),
    numpy_names=("arctanh", "atanh"),
)
unary("degrees", "Radians to degrees.", "degrees", lambda F, g, x, y: g * (1 / _PER_DEGREE))
unary(
    "radians", "Degrees to radians.", "radians", lambda F, g, x, y: g * _PER_DEGREE, numpy_names=("radians", "deg2rad")
)

unary("floor", "The nearest whole number below.", "floor")
unary("ceil", "The nearest whole number above.", "ceil")
unary("trunc", "The nearest whole number towards 0.", "trunc")
unary("fix", "The nearest whole number towards 0.", "trunc", numpy_names=("fix",), distinct=False)
unary(
    "rint",
    "The nearest whole number, halves to the even one.",
    "rint",
    numpy_names=("rint", "round", "around"),
    distinct=False,
)
unary("round", "The nearest whole number, halves away from 0.", through_float(round_half_away))
