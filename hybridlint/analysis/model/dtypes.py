"""Dtypes in numpy mode, tracked only to tell integers and booleans from all others.

In arithmetic with a Python number, an NDArray of integers or booleans keeps its dtype and truncates the number. A
Symbol
becomes float64 if the number is a float, or if the number is the left operand (except in a sum).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from hybridlint.analysis.model.events import ArgumentsEvent
from hybridlint.analysis.model.values import ContainerValue, External, StaticValue, Tensor, Value
from hybridlint.runtime.facts import lookup, properties, surface
from hybridlint.runtime.facts.registry import Operator

_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_ARITHMETIC = frozenset({"+", "-", "*", "%", "**"})
_MIRRORED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def is_integral(value: Value) -> bool:
    """Return whether a value is a tensor of numpy mode that is known to hold integers or booleans."""
    dtype = value.type.dtype if isinstance(value, Tensor) and value.mode == "np" else None
    return dtype is not None and dtype.startswith(("int", "uint", "bool"))


def number_changes_result(symbol: str, left: Value, right: Value) -> bool:
    """Return whether ``left symbol right``, an integer tensor and a number, changes its result once hybridized."""
    tensor, number, first = (right, left, True) if isinstance(left, StaticValue) else (left, right, False)
    if not is_integral(tensor) or not isinstance(number, StaticValue) or not isinstance(number.value, int | float):
        return False
    if symbol in _COMPARISONS:
        return _cut_matters(_MIRRORED.get(symbol, symbol) if first else symbol, tensor, number.value)
    if symbol not in _ARITHMETIC:
        return False
    return isinstance(number.value, float) or (first and symbol != "+")


def number_changes_function(name: str, arguments: ArgumentsEvent) -> bool:
    """Return whether a function of ``F.np``, called with integers and a number, changes its result once hybridized."""
    operator = lookup.function(("np",), name) or lookup.of_numbers(name)
    if operator is None or len(operator.inputs) != 2 or len(arguments.values) != 2:
        return False
    left, right = arguments.values
    symbol = operator.facts.operator
    if symbol in _COMPARISONS:
        return number_changes_result(symbol, left, right)
    if symbol not in {None, *_ARITHMETIC} or not (is_integral(left) or is_integral(right)):
        return False
    broadcasts = operator.facts.broadcast_twin is not None or properties.broadcasts(operator)
    # Functions, unlike operators, treat a number on the left differently from one on the right.
    return broadcasts and number_changes_result("-", left, right)


def _cut_matters(symbol: str, tensor: Value, number: float) -> bool:
    """Return whether truncating a number changes its comparison with integers; booleans are never affected."""
    assert isinstance(tensor, Tensor)
    dtype = tensor.type.dtype or ""
    if dtype == "bool" or not math.isfinite(number) or number == int(number):
        return False
    if dtype.startswith("uint") and number < 0:
        # Truncated to an unsigned integer, a negative number becomes a large one.
        return symbol not in {"==", "!="}
    return symbol in ({"<", ">="} if number > 0 else {">", "<="}) or symbol in {"==", "!="}


def operator_dtype(symbol: str, left: Value, right: Value) -> str | None:
    """Return the dtype of ``left symbol right``, None if it is unknown or neither integer nor boolean."""
    if symbol in _COMPARISONS:
        return "bool"
    if symbol not in _ARITHMETIC or number_changes_result(symbol, left, right):
        return None
    tensors = [v for v in (left, right) if isinstance(v, Tensor)]
    dtype = _common(tensors)
    if len(tensors) == 2:
        return dtype
    number = right if isinstance(left, Tensor) else left
    plain = isinstance(number, StaticValue) and isinstance(number.value, int)
    return None if not plain else "int64" if dtype == "bool" else dtype


def function_dtype(name: str, operator: Operator | None, arguments: ArgumentsEvent) -> str | None:
    """Return the dtype of the result of a function or method, None if it is unknown."""
    if "dtype" in arguments.keywords:
        return _named(arguments.keywords["dtype"])
    if name in surface.NUMPY_POSITIONS:
        return "int64"
    operator = operator or lookup.numpy_function_of(name)
    if operator is None:
        return None
    dtype = properties.own_dtype(operator)
    if dtype is not None or number_changes_function(name, arguments):
        return dtype
    common = _common([v for v in _flat(arguments.values) if isinstance(v, Tensor)])
    return None if common is None else properties.dtype_of(operator, common)


def _flat(values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        if isinstance(value, ContainerValue) and value.items is not None:
            yield from _flat(value.items)
        else:
            yield value


def _common(tensors: list[Tensor]) -> str | None:
    """Return the result dtype of an operator on integer and boolean tensors, None if it is unknown."""
    known = {tensor.type.dtype for tensor in tensors}
    if len(known) == 1:
        return known.pop()
    integers = known - {"bool"}
    return integers.pop() if len(integers) == 1 and all(map(is_integral, tensors)) else None


def _named(value: Value) -> str | None:
    """Return the dtype that an argument names, such as "int32" or ``np.int32``."""
    match value:
        case StaticValue(value=str() as name):
            return name
        case External(name=name):
            return name.rpartition(".")[2]
        case _:
            return None
