"""Arithmetic and comparison functions of ``mx.nd`` that take arrays and numbers alike and broadcast."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.base import numeric_types, plain_number
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.ndarray.ndarray import NDArray


def _binary(
    name: str, both: str, scalar: str, reflected: str, python: Callable[[Any, Any], Any]
) -> Callable[[Any, Any], Any]:
    def function(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray):
            return invoke(registry.get(both), [lhs, rhs], {})
        if not isinstance(lhs, NDArray) and not isinstance(rhs, NDArray):
            return python(lhs, rhs)
        array, number, op = (
            (lhs, rhs, registry.get(scalar)) if isinstance(lhs, NDArray) else (rhs, lhs, registry.get(reflected))
        )
        if not isinstance(number, numeric_types):
            raise TypeError(f"type {type(number)} not supported")
        return invoke(op, [array], normalize(op, {"scalar": plain_number(number)}))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return `{name}` of arrays or numbers, element by element, with broadcasting."
    return function


add = _binary("add", "broadcast_add", "_plus_scalar", "_plus_scalar", lambda a, b: a + b)
subtract = _binary("subtract", "broadcast_sub", "_minus_scalar", "_rminus_scalar", lambda a, b: a - b)
multiply = _binary("multiply", "broadcast_mul", "_mul_scalar", "_mul_scalar", lambda a, b: a * b)
divide = _binary("divide", "broadcast_div", "_div_scalar", "_rdiv_scalar", lambda a, b: a / b)
true_divide = divide
modulo = _binary("modulo", "broadcast_mod", "_mod_scalar", "_rmod_scalar", lambda a, b: a % b)
power = _binary("power", "broadcast_power", "_power_scalar", "_rpower_scalar", lambda a, b: a**b)
maximum = _binary("maximum", "broadcast_maximum", "_maximum_scalar", "_maximum_scalar", max)
minimum = _binary("minimum", "broadcast_minimum", "_minimum_scalar", "_minimum_scalar", min)
equal = _binary("equal", "broadcast_equal", "_equal_scalar", "_equal_scalar", lambda a, b: a == b)
not_equal = _binary("not_equal", "broadcast_not_equal", "_not_equal_scalar", "_not_equal_scalar", lambda a, b: a != b)
greater = _binary("greater", "broadcast_greater", "_greater_scalar", "_lesser_scalar", lambda a, b: a > b)
greater_equal = _binary(
    "greater_equal", "broadcast_greater_equal", "_greater_equal_scalar", "_lesser_equal_scalar", lambda a, b: a >= b
)
lesser = _binary("lesser", "broadcast_lesser", "_lesser_scalar", "_greater_scalar", lambda a, b: a < b)
lesser_equal = _binary(
    "lesser_equal", "broadcast_lesser_equal", "_lesser_equal_scalar", "_greater_equal_scalar", lambda a, b: a <= b
)
logical_and = _binary(
    "logical_and", "broadcast_logical_and", "_logical_and_scalar", "_logical_and_scalar", lambda a, b: a and b
)
logical_or = _binary(
    "logical_or", "broadcast_logical_or", "_logical_or_scalar", "_logical_or_scalar", lambda a, b: a or b
)
logical_xor = _binary(
    "logical_xor",
    "broadcast_logical_xor",
    "_logical_xor_scalar",
    "_logical_xor_scalar",
    lambda a, b: bool(a) != bool(b),
)
