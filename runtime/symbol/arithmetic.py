"""The few arithmetic functions that ``mx.sym`` has: for equal shapes, or a symbol and a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.base import numeric_types, plain_number
from hybridlint.runtime.facts import registry
from hybridlint.runtime.symbol.calls import call
from hybridlint.runtime.symbol.symbol import Symbol


def _binary(
    name: str,
    both: tuple[str, str],
    scalar: tuple[str, str],
    reflected: tuple[str, str],
    python: Callable[[Any, Any], Any],
) -> Callable[[Any, Any], Any]:
    def function(left: Any, right: Any) -> Any:
        if isinstance(left, Symbol) and isinstance(right, Symbol):
            return call(registry.get(both[0]), both[1], (left, right), {})
        if not isinstance(left, Symbol) and not isinstance(right, Symbol):
            if not all(isinstance(v, numeric_types) for v in (left, right)):
                raise TypeError(f"types ({type(left)}, {type(right)}) not supported")
            return python(left, right)
        symbol, number, (op, hint) = (left, right, scalar) if isinstance(left, Symbol) else (right, left, reflected)
        if not isinstance(number, numeric_types):
            raise TypeError(f"types ({type(left)}, {type(right)}) not supported")
        return call(registry.get(op), hint, (symbol,), {"scalar": str(plain_number(number))})

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return `{name}` of symbols of equal shapes, or of a symbol and a number."
    return function


maximum = _binary(
    "maximum",
    ("_maximum", "_maximum"),
    ("_maximum_scalar", "_maximumscalar"),
    ("_maximum_scalar", "_maximumscalar"),
    max,
)
minimum = _binary(
    "minimum",
    ("_minimum", "_minimum"),
    ("_minimum_scalar", "_minimumscalar"),
    ("_minimum_scalar", "_minimumscalar"),
    min,
)
power = _binary(
    "power",
    ("_power", "_power"),
    ("_power_scalar", "_powerscalar"),
    ("_rpower_scalar", "_rpowerscalar"),
    lambda a, b: a**b,
)
pow = power
hypot = _binary(
    "hypot",
    ("_hypot", "_hypot"),
    ("_hypot_scalar", "_hypotscalar"),
    ("_hypot_scalar", "_hypotscalar"),
    lambda a, b: (a * a + b * b) ** 0.5,
)
