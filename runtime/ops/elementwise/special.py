"""Special functions, in terms of the array module's elementary ones: erf, its inverse, gamma and its kin."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.ops.blocks import ELEMENTS, blocks, is_numpy
from hybridlint.runtime.ops.elementwise.families import numeric, store, through_float, unary

#: erf differs from 1 by less than the spacing of float64 from here on.
_ERF_END = 6.0
_ERF_DEGREE = 30
#: The same for float32, and the degree of the polynomial in x**2 that is erf(x) / x up to there.
_ERF_END_NARROW = 4.0
_ERF_DEGREE_NARROW = 18
#: erf near 0, divided by 2x / sqrt(pi), as a series of x**2.
_ERF_TAYLOR = tuple((-1) ** k / (math.factorial(k) * (2 * k + 1)) for k in range(7))
#: erfinv(y) / y for float32 as a polynomial of ``w - 2.5`` where w = -log(1 - y * y) is below 5, else of
#: ``sqrt(w) - 3.218034``; the coefficient of the lowest power comes first.
_ERFINV_NEAR = (
    1.50140936,
    0.2466402894,
    -0.004177389761,
    -0.001252748416,
    0.0002183469147,
    -4.959743505e-06,
    -3.463356165e-06,
    4.654287306e-07,
    2.328584457e-08,
    -8.739830977e-09,
)
_ERFINV_FAR = (
    3.051757048,
    1.004903754,
    0.005749455209,
    -0.004087595354,
    0.002750898072,
    -0.001878454977,
    0.001110748098,
    -0.0003620438426,
    -9.832279355e-05,
    9.388684568e-05,
)
_ERFINV_MIDDLES = 2.5, 3.218034
_ERFINV_BORDER = 5.0
#: So many elements are computed at once in float64: the numbers between stay near the processor.
_WIDE = 1 << 13
#: Arguments below this are moved up by the recurrence, so that the asymptotic series are exact in float64.
_SHIFT = 10
#: B(2k) / (2k (2k - 1)) of the series of log(gamma), and B(2k) / 2k of that of its derivative.
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)
_STIRLING = tuple(b / (2 * k * (2 * k - 1)) for k, b in enumerate(_BERNOULLI, 1))
_DIGAMMA = tuple(b / (2 * k) for k, b in enumerate(_BERNOULLI, 1))


def in_float64(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any, Any], Any]:
    """Return a compute that applies a function in float64 and converts the result to the array's dtype."""

    def compute(xp: Any, x: Any, out: Any) -> Any:
        if is_numpy(xp) and x.size > _WIDE:
            return store(xp, in_blocks(xp, x), out)
        return store(xp, function(xp, x.astype("float64")).astype(x.dtype), out)

    def in_blocks(xp: Any, x: Any) -> Any:
        given, result = x.reshape(-1), xp.empty(x.size, x.dtype)
        for part in blocks(x.size, _WIDE):
            result[part] = function(xp, given[part].astype("float64"))
        return result.reshape(x.shape)

    return compute


def _chebyshev(function: Callable[[float], float], degree: int) -> list[float]:
    """Return the `degree` Chebyshev coefficients of a function on [-1, 1]; the first is doubled."""
    angles = [math.pi * (k + 0.5) / degree for k in range(degree)]
    values = [function(math.cos(angle)) for angle in angles]
    return [
        2 / degree * sum(v * math.cos(j * angle) for v, angle in zip(values, angles, strict=True))
        for j in range(degree)
    ]


@cache
def _erf_coefficients() -> tuple[float, ...]:
    """Return Chebyshev coefficients of log(erfc(x)) + x**2 as a function of t = 2 / (2 + x), 0 <= x <= _ERF_END."""

    def function(node: float) -> float:
        x = 2 / _from_unit(node) - 2
        return math.log(math.erfc(x)) + x * x

    return tuple(_chebyshev(function, _ERF_DEGREE))


@cache
def _erf_polynomial() -> tuple[float, ...]:
    """Return the coefficients of erf(x) / x as a polynomial in u = 2 (x / end)**2 - 1, 0 <= x <= end.

    `end` is _ERF_END_NARROW; the coefficient of the lowest power comes first.
    """

    def function(node: float) -> float:
        x = _ERF_END_NARROW * math.sqrt((node + 1) / 2)
        return math.erf(x) / x

    powers = [0.0] * _ERF_DEGREE_NARROW
    older, newer = [1.0], [0.0, 1.0]
    first, *rest = _chebyshev(function, _ERF_DEGREE_NARROW)
    powers[0] = first / 2
    for c in rest:
        for k, value in enumerate(newer):
            powers[k] += c * value
        doubled = [0.0, *(2 * value for value in newer)]
        older, newer = newer, [a - b for a, b in zip(doubled, [*older, 0.0, 0.0], strict=True)]
    return tuple(powers)


def _from_unit(u: float) -> float:
    """Map u in [-1, 1] linearly to t in [2 / (2 + _ERF_END), 1]."""
    least = 2 / (2 + _ERF_END)
    return least + (1 - least) * (u + 1) / 2


def erf(xp: Any, x: Any) -> Any:
    """Return the error function of a floating array, to the precision of its dtype."""
    if x.dtype == "float64":
        return _erf_wide(xp, x)
    return _erf_narrow(xp, x.astype("float32")).astype(x.dtype, copy=False)


def _erf_narrow(xp: Any, x: Any) -> Any:
    kept = xp.clip(x, -_ERF_END_NARROW, _ERF_END_NARROW)
    u = kept * kept
    u *= 2 / _ERF_END_NARROW**2
    u -= 1
    highest, *others = reversed(_erf_polynomial())
    total = xp.full_like(u, highest)
    for c in others:
        total *= u
        total += c
    total *= kept
    return total


def _erf_wide(xp: Any, x: Any) -> Any:
    size = xp.minimum(xp.abs(x), _ERF_END)
    least = 2 / (2 + _ERF_END)
    u = (2 / (2 + size) - least) * (2 / (1 - least)) - 1
    coefficients = _erf_coefficients()
    older, newer = xp.zeros_like(x), xp.zeros_like(x)
    for c in reversed(coefficients[1:]):
        older, newer = newer, 2 * u * newer - older + c
    log_erfc = u * newer - older + coefficients[0] / 2
    square = x * x
    near = x * (2 / math.sqrt(math.pi)) * _series(_ERF_TAYLOR, square)
    return xp.where(size < 0.1, near, xp.copysign(1 - xp.exp(log_erfc - size * size), x))


def _erfinv(xp: Any, y: Any, out: Any) -> Any:
    if not is_numpy(xp) or y.dtype == "float64" or y.dtype.kind != "f":
        return in_float64(erfinv)(xp, y, out)
    return store(xp, _erfinv_narrow(xp, y.astype("float32", copy=False)).astype(y.dtype, copy=False), out)


def _erfinv_narrow(xp: Any, y: Any) -> Any:
    """Return the inverse of the error function of float32, block by block."""
    given = xp.ascontiguousarray(y).reshape(-1)
    result = xp.empty_like(given)
    for part in blocks(len(given), ELEMENTS):
        x, total = given[part], result[part]
        shifted = xp.log((1 - x) * (1 + x))
        xp.negative(shifted, out=shifted)
        far = xp.flatnonzero(~(shifted < _ERFINV_BORDER))
        roots = xp.sqrt(shifted[far]) - _ERFINV_MIDDLES[1]
        shifted -= _ERFINV_MIDDLES[0]
        _horner(xp, _ERFINV_NEAR, shifted, total)
        if len(far):
            total[far] = _horner(xp, _ERFINV_FAR, roots, xp.empty_like(roots))
        xp.multiply(total, x, out=total)
        if len(far):
            ends = far[xp.abs(x[far]) == 1]
            total[ends] = x[ends] * xp.inf
    return result.reshape(y.shape)


def _horner(xp: Any, coefficients: Sequence[float], x: Any, total: Any) -> Any:
    """Store a polynomial's values into `total`; the coefficient of the lowest power comes first."""
    xp.multiply(x, coefficients[-1], out=total)
    for c in reversed(coefficients[1:-1]):
        total += c
        total *= x
    total += coefficients[0]
    return total


def erfinv(xp: Any, y: Any) -> Any:
    """Return the inverse of the error function: a closed approximation, then Halley's iteration."""
    a = 0.147
    log = xp.log1p(-y * y)
    half = 2 / (math.pi * a) + log / 2
    x = xp.copysign(xp.sqrt(xp.sqrt(half * half - log / a) - half), y)
    inside = xp.abs(y) < 1
    for _ in range(2):
        step = (erf(xp, x) - y) * (math.sqrt(math.pi) / 2) * xp.exp(x * x)
        x = xp.where(inside, x - step / (1 + x * step), x)
    return xp.where(inside, x, xp.where(xp.abs(y) == 1, y * math.inf, math.nan))


def _series(coefficients: tuple[float, ...], inverse_square: Any) -> Any:
    total = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        total = total * inverse_square + c
    return total


def _gammaln_positive(xp: Any, x: Any) -> Any:
    product = x
    for k in range(1, _SHIFT):
        product = product * (x + k)
    z = x + _SHIFT
    stirling = (z - 0.5) * xp.log(z) - z + 0.5 * math.log(2 * math.pi) + _series(_STIRLING, 1 / (z * z)) / z
    return stirling - xp.log(product)


def _at_pole(xp: Any, x: Any) -> Any:
    return (x <= 0) & (x == xp.floor(x))


def gammaln(xp: Any, x: Any) -> Any:
    """Return the logarithm of the absolute value of the gamma function; infinite at 0, -1, -2 ... and at infinity."""
    infinite = xp.isinf(x) | _at_pole(xp, x)
    x = xp.where(infinite, 1.0, x)
    reflected = xp.where(x < 0.5, 1 - x, x)
    positive = _gammaln_positive(xp, reflected)
    if is_numpy(xp) and bool((x >= 0.5).all()):
        mirrored = positive
    else:
        mirrored = math.log(math.pi) - xp.log(xp.abs(xp.sin(math.pi * (x - 2 * xp.floor(x / 2))))) - positive
    found = xp.where((x == 1) | (x == 2), 0.0, xp.where(x < 0.5, mirrored, positive))
    return xp.where(infinite, math.inf, found)


def gamma(xp: Any, x: Any) -> Any:
    """Return the gamma function, exact for whole numbers; not a number at -1, -2 ..., of the sign of x at 0."""
    whole = x == xp.floor(x)
    sign = xp.where((x < 0) & (xp.floor(x) % 2 != 0) | (x == 0) & xp.signbit(x), -1.0, 1.0)
    value = sign * xp.exp(gammaln(xp, x))
    return xp.where(whole, xp.where(x < 0, math.nan, xp.rint(value)), value)


def digamma(xp: Any, x: Any) -> Any:
    """Return the derivative of the logarithm of the gamma function; the largest number at 0, -1, -2 ..."""
    pole = _at_pole(xp, x)
    x = xp.where(pole, 1.0, x)
    z = xp.where(x < 0.5, 1 - x, x)
    below = xp.zeros_like(z)
    for _ in range(_SHIFT):
        below = below + 1 / z
        z = z + 1
    positive = xp.log(z) - 0.5 / z - _series(_DIGAMMA, 1 / (z * z)) / (z * z) - below
    found = xp.where(x < 0.5, positive - math.pi / xp.tan(math.pi * x), positive)
    return xp.where(pole, sys.float_info.max, found)


def trigamma(xp: Any, x: Any) -> Any:
    """Return the derivative of digamma."""
    z = xp.where(x < 0.5, 1 - x, x)
    below = xp.zeros_like(z)
    for _ in range(_SHIFT):
        below = below + 1 / (z * z)
        z = z + 1
    positive = 1 / z + 0.5 / (z * z) + _series(_BERNOULLI, 1 / (z * z)) / (z * z * z) + below
    return xp.where(x < 0.5, (math.pi / xp.sin(math.pi * x)) ** 2 - positive, positive)


unary(
    "erf",
    "The error function.",
    through_float(lambda xp, x, out: store(xp, erf(xp, x), out)),
    lambda F, g, x, y: g * F.exp(-F.square(x)) * (2 / math.sqrt(math.pi)),
    numpy_names=("erf",),
    sparse=False,
)
unary(
    "erfinv",
    "The inverse of the error function.",
    _erfinv,
    lambda F, g, x, y: g * F.exp(F.square(y)) * (math.sqrt(math.pi) / 2),
    domain=(-0.9, 0.9),
    sparse=False,
)
unary(
    "gamma",
    "The gamma function, which continues the factorial of x - 1.",
    in_float64(gamma),
    # Dense also beside a gradient in sparse storage, whose zeros meet infinite slopes.
    lambda F, g, x, y: F.broadcast_mul(g, y * F._hl_digamma(x)),
    domain=(0.3, 4),
    numpy_names=("gamma",),
)
unary(
    "gammaln",
    "Logarithm of the absolute value of the gamma function.",
    in_float64(gammaln),
    lambda F, g, x, y: F.broadcast_mul(g, F._hl_digamma(x)),
    domain=(0.3, 4),
    numpy_names=("lgamma",),
)


_GAMMA_SAMPLES = [sample((2, 3), low=0.3, high=4), sample((4,), low=-2.8, high=-2.2)]


@op(infer=numeric, grad=lambda F, g, ins, outs: (g * F._hl_trigamma(ins[0]),), samples=_GAMMA_SAMPLES)
def _hl_digamma(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Return the derivative of the logarithm of the gamma function."""
    return in_float64(digamma)(xp, data, out)


@op(infer=numeric, samples=_GAMMA_SAMPLES)
def _hl_trigamma(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Return the derivative of digamma."""
    return in_float64(trigamma)(xp, data, out)
