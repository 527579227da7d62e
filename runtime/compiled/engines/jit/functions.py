"""Element-wise functions on vectors, under numpy's names: branch-free, to a few units in the last place."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

from hybridlint.runtime.compiled.engines.jit.lanes import Lanes, Whole
from hybridlint.runtime.compiled.lowering.abilities import Abilities

Emit: TypeAlias = Callable[..., Any]

_SMALLEST_NORMAL = 2.0**-126
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
#: expm1(r) = r + r**2 P(r) for abs(r) < log(2) / 2, to 0.2 * 2**-24 of it.
_EXP = (1.3882516650e-3, 8.3665475249e-3, 4.1667200625e-2, 1.6666543484e-1, 4.9999997020e-1)
#: Of log(1 + r) = r - r**2 / 2 + r**3 P(r).
_LOG = (
    *(7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1),
    *(-1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1),
)
#: expm1(x) = x + x**2 P(x) for abs(x) < 0.35: the series, whose next term is below half a unit.
_EXPM1 = tuple(1 / math.factorial(k) for k in range(9, 1, -1))
#: Larger powers are not written as products.
_LARGEST_POWER = 8


def exp(m: Lanes, x: Any) -> Any:
    """Return e to the power of x, as a power of two times a number near 1."""
    n, r = _whole_and_rest(m, m.minimum(m.maximum(x, m.const(-104.0)), m.const(89.0)))
    near = m.fma(m.fma(m.polynomial(r, _EXP), r, m.const(1.0)), r, m.const(1.0))
    return m.scaled(near, n)


def _whole_and_rest(m: Lanes, x: Any) -> tuple[Whole, Any]:
    """Return n and r with ``n log(2) + r == x``, where n is whole and r as small as can be."""
    n = m.nearest(x, 1 / math.log(2))
    return n, m.fma(n.number, m.const(-_LN2_LOW), m.fma(n.number, m.const(-_LN2_HIGH), x))


def log(m: Lanes, x: Any) -> Any:
    """Return the natural logarithm: -inf at 0, not a number below."""
    tiny = m.compare("<", x, m.const(_SMALLEST_NORMAL))
    normal = m.select(tiny, m.mul(x, m.const(2.0**24)), x)
    bits = m.as_bits(normal)
    shifted = m.b.sub(bits, m.bits(0x3F3504F3))  # so that the mantissa is between sqrt(1/2) and sqrt(2)
    exponent = m.b.sitofp(m.b.ashr(shifted, m.bits(23)), m.floats)
    e = m.sub(exponent, m.select(tiny, m.const(24.0), m.const(0.0)))
    mantissa = m.as_floats(m.b.add(m.b.and_(shifted, m.bits(0x007FFFFF)), m.bits(0x3F3504F3)))
    r = m.sub(mantissa, m.const(1.0))
    square = m.mul(r, r)
    tail = m.mul(m.mul(square, r), m.polynomial(r, _LOG))
    tail = m.fma(e, m.const(_LN2_LOW), tail)
    tail = m.fma(square, m.const(-0.5), tail)
    result = m.fma(e, m.const(_LN2_HIGH), m.add(r, tail))
    special = m.b.or_(m.b.fcmp_unordered("uno", x, x), m.compare("==", x, m.const(math.inf)))
    result = m.select(special, x, result)
    result = m.select(m.compare("==", x, m.const(0.0)), m.const(-math.inf), result)
    return m.select(m.compare("<", x, m.const(0.0)), m.const(math.nan), result)


def expm1(m: Lanes, x: Any) -> Any:
    """Return exp(x) - 1, precise near 0."""
    near = m.fma(m.mul(x, x), m.polynomial(x, _EXPM1), x)
    inside = m.compare("<", absolute(m, x), m.const(0.35))
    return copysign(m, m.select(inside, near, m.sub(exp(m, x), m.const(1.0))), x)


def log1p(m: Lanes, x: Any) -> Any:
    """Return log(1 + x), precise near 0: the rounding of 1 + x is divided out again."""
    u = m.add(x, m.const(1.0))
    corrected = m.mul(log(m, u), m.div(x, m.sub(u, m.const(1.0))))
    unchanged = m.b.or_(m.compare("==", u, m.const(1.0)), m.compare("==", x, m.const(math.inf)))
    return m.select(unchanged, x, corrected)


def tanh(m: Lanes, x: Any) -> Any:
    """Return the hyperbolic tangent: of a negative number that of ``expm1(2 x) / (expm1(2 x) + 2)``."""
    # Beyond, it is -1 in float32.
    size = m.maximum(m.b.fneg(absolute(m, x)), m.const(-9.02))
    n, r = _whole_and_rest(m, m.add(size, size))
    near = m.fma(m.mul(r, r), m.polynomial(r, _EXP), r)
    scale = m.power_of_two(n)
    above, below = (m.fma(scale, near, m.add(scale, m.const(one))) for one in (-1.0, 1.0))
    return copysign(m, m.div(above, below), x)


def absolute(m: Lanes, x: Any) -> Any:
    """Return the size without the sign."""
    return m.intrinsic("fabs", x)


def copysign(m: Lanes, x: Any, y: Any) -> Any:
    """Return the size of x with the sign of y."""
    return m.intrinsic("copysign", x, y)


def sign(m: Lanes, x: Any) -> Any:
    """Return -1, 0 or 1; nan stays nan."""
    apart = m.b.fcmp_ordered("!=", x, m.const(0.0))
    return m.select(apart, copysign(m, m.const(1.0), x), m.select(m.is_nan(x), x, m.const(0.0)))


def logaddexp(m: Lanes, x: Any, y: Any) -> Any:
    """Return log(exp(x) + exp(y)) without overflow."""
    difference = m.sub(x, y)
    larger = m.select(m.compare(">", difference, m.const(0.0)), x, y)
    smooth = m.add(larger, log1p(m, exp(m, m.b.fneg(absolute(m, difference)))))
    equal = m.add(x, m.const(math.log(2)))
    result = m.select(m.compare("==", x, y), equal, smooth)
    return m.select(m.b.fcmp_unordered("uno", x, y), m.add(x, y), result)


def power(m: Lanes, x: Any, exponent: float) -> Any:
    """Return a power with an exponent that is known: a product, or a root."""
    if exponent in {0.5, -0.5}:
        # sqrt(-0.0) is -0.0 and sqrt(-inf) is no number, while powers of them are 0.0 and inf.
        root = m.intrinsic("sqrt", m.add(x, m.const(0.0)))
        result = m.select(m.compare("==", x, m.const(-math.inf)), m.const(math.inf), root)
    else:
        result = _whole_power(m, x, int(abs(exponent)))
    return result if exponent > 0 else m.div(m.const(1.0), result)


def is_simple_power(exponent: float | None) -> bool:
    """Return whether `power` computes the exponent: a small whole number, or half for a root."""
    if exponent is None:
        return False
    return exponent in {0.5, -0.5} or (exponent == int(exponent) and 0 < abs(exponent) <= _LARGEST_POWER)


def _whole_power(m: Lanes, x: Any, exponent: int) -> Any:
    if exponent == 1:
        return x
    half = _whole_power(m, x, exponent // 2)
    square = m.mul(half, half)
    return m.mul(square, x) if exponent % 2 else square


def _compare(symbol: str) -> Emit:
    return lambda m, x, y: m.compare(symbol, x, y)


def _truths(method: str) -> Emit:
    return lambda m, x, y: getattr(m.b, method)(x, y)


def _rounding(name: str) -> Emit:
    return lambda m, x: m.intrinsic(name, x)


FUNCTIONS: dict[str, Emit] = {
    "abs": absolute,
    "add": Lanes.add,
    "as_number": lambda m, x: m.b.uitofp(x, m.floats),
    "ceil": _rounding("ceil"),
    "copysign": copysign,
    "divide": Lanes.div,
    "equal": _compare("=="),
    "exp": exp,
    "expm1": expm1,
    "floor": _rounding("floor"),
    "greater": _compare(">"),
    "greater_equal": _compare(">="),
    "isfinite": lambda m, x: m.compare("<", absolute(m, x), m.const(math.inf)),
    "isinf": lambda m, x: m.compare("==", absolute(m, x), m.const(math.inf)),
    "isnan": Lanes.is_nan,
    "less": _compare("<"),
    "less_equal": _compare("<="),
    "log": log,
    "log10": lambda m, x: m.mul(log(m, x), m.const(1 / math.log(10))),
    "log1p": log1p,
    "log2": lambda m, x: m.mul(log(m, x), m.const(1 / math.log(2))),
    "logaddexp": logaddexp,
    "logical_and": _truths("and_"),
    "logical_not": lambda m, x: m.b.not_(x),
    "logical_or": _truths("or_"),
    "logical_xor": _truths("xor"),
    "maximum": Lanes.maximum,
    "minimum": Lanes.minimum,
    "multiply": Lanes.mul,
    "negative": lambda m, x: m.b.fneg(x),
    "not_equal": _compare("!="),
    "reciprocal": lambda m, x: m.div(m.const(1.0), x),
    "rint": _rounding("rint"),
    "sign": sign,
    "sqrt": _rounding("sqrt"),
    "square": lambda m, x: m.mul(x, x),
    "subtract": Lanes.sub,
    "trunc": _rounding("trunc"),
    "tanh": tanh,
    "where": Lanes.select,
}

ABILITIES = Abilities(frozenset({"float32"}), frozenset(FUNCTIONS), is_simple_power)
