"""Python operators between values that are not tensors: numbers, strings, containers, numpy arrays."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from hybridlint.analysis.model.folding import MOST_ITEMS, fold_call, told_apart
from hybridlint.analysis.model.lattice import element, join_members
from hybridlint.analysis.model.options import compare_options
from hybridlint.analysis.model.settings import items_of
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TEXT,
    TRUE_OR_FALSE,
    CallableUnion,
    CapturedArray,
    ContainerValue,
    DataDependentValue,
    NumpyArray,
    StaticValue,
    Unknown,
    Value,
)
from hybridlint.runtime.facts.infer import broadcast_shapes
from hybridlint.runtime.facts.types import InferError, TensorType

#: What tells sizes of an array.
SIZES = frozenset({"shape", "size", "ndim", "len"})
COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_PYTHON: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "//": operator.floordiv,
    "**": operator.pow,
    "&": operator.and_,
    "|": operator.or_,
    "^": operator.xor,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_ORDERS: dict[str, ast.cmpop] = {"<": ast.Lt(), "<=": ast.LtE(), ">": ast.Gt(), ">=": ast.GtE()}
_LOGIC = frozenset({"&", "|", "^"})
#: Integer powers with more bits than this are not computed.
_LARGEST_POWER = 1024
#: Formats that ask for fields of many characters.
_WIDE = re.compile(r"\*|\d{4}")


def python_binary(symbol: str, a: Value, b: Value) -> Value:
    """Evaluate ``a symbol b``."""
    match a, b:
        case (ContainerValue(), ContainerValue()) if symbol == "+":
            return _concatenated(a, b)
        case (ContainerValue(), Unknown() | StaticValue()) | (Unknown() | StaticValue(), ContainerValue()) if (
            symbol == "+"
        ):
            first, second = (items_of(side) or side for side in (a, b))
            if isinstance(first, ContainerValue) and isinstance(second, ContainerValue):
                return _concatenated(first, second)
            return _lengthened(a if isinstance(a, ContainerValue) else b)
        case (ContainerValue(kind=kind), StaticValue(value=count)) | (
            StaticValue(value=count),
            ContainerValue(kind=kind),
        ) if symbol == "*":
            items = a if isinstance(a, ContainerValue) else b
            assert isinstance(items, ContainerValue)
            if items.items is not None and type(count) is int and 0 <= count * len(items.items) <= 64:
                return ContainerValue(kind, items.items * count)
            return ContainerValue(kind, None, element(items))
        case StaticValue(), StaticValue():
            return _of_settings(symbol, a, b)
        case (DataDependentValue(), _) | (_, DataDependentValue()) if symbol in COMPARISONS:
            return _of_comparison(a, b)
        case (DataDependentValue(), StaticValue() | DataDependentValue()) | (StaticValue(), DataDependentValue()):
            return a if isinstance(a, DataDependentValue) else b
        case (NumpyArray(), StaticValue() | NumpyArray() | DataDependentValue()) | (
            StaticValue() | DataDependentValue(),
            NumpyArray(),
        ):
            return _of_arrays(symbol, a, b)
        case (CapturedArray(), _) | (_, CapturedArray()) if not isinstance(a, Unknown) and not isinstance(b, Unknown):
            return _of_eager_arrays(a, b)
        case (ContainerValue(kind="tuple"), ContainerValue(kind="tuple")) if symbol in _ORDERS:
            return _in_order(symbol, a, b)
        case (ContainerValue(), ContainerValue()) if symbol in COMPARISONS:
            return TRUE_OR_FALSE
        case _:
            return StaticValue(STATIC_UNKNOWN) if symbol in COMPARISONS and _settings(a, b) else Unknown()


def _of_comparison(a: Value, b: Value) -> DataDependentValue:
    """Return the result of comparing what was read from a tensor."""
    read = [side for side in (a, b) if isinstance(side, DataDependentValue)]
    sized = any(side.sized or side.reason in SIZES for side in read)
    tell = next((side.tell for side in read if side.tell is not None), None)
    return DataDependentValue(TEXT if DataDependentValue(TEXT) in read else "comparison", sized=sized, tell=tell)


def _in_order(symbol: str, a: ContainerValue, b: ContainerValue) -> StaticValue:
    """Compare two tuples by their first differing elements, as far as these are known."""
    for one, other in zip(a.items or (), b.items or (), strict=False):
        same = compare_options(ast.Eq(), one, other)
        if same is not True:
            found = None if same is None else compare_options(_ORDERS[symbol], one, other)
            return TRUE_OR_FALSE if found is None else StaticValue(found, certain=True)
    return TRUE_OR_FALSE


def _of_settings(symbol: str, a: StaticValue, b: StaticValue) -> StaticValue:
    known = _folded(symbol, a.value, b.value)
    if known is not STATIC_UNKNOWN:
        return StaticValue(known, certain=a.certain and b.certain, numpy=a.numpy or b.numpy)
    answers = symbol in COMPARISONS or (symbol in _LOGIC and a.is_boolean and b.is_boolean)
    return TRUE_OR_FALSE if answers else StaticValue(STATIC_UNKNOWN)


def _of_arrays(symbol: str, a: Value, b: Value) -> NumpyArray:
    """Return the numpy array that an operator on arrays yields: booleans if it compares an array with a number."""
    array, other = (a, b) if isinstance(a, NumpyArray) else (b, a)
    if symbol not in COMPARISONS or not isinstance(array, NumpyArray) or not isinstance(other, StaticValue):
        return NumpyArray()
    return NumpyArray(array.type.with_dtype("bool"))


def _of_eager_arrays(a: Value, b: Value) -> CapturedArray:
    """Return the array that an operator makes of an array and a number, or of two arrays, which broadcast."""
    shapes = [side.type.shape for side in (a, b) if isinstance(side, CapturedArray)]
    others = [side for side in (a, b) if not isinstance(side, CapturedArray)]
    if not all(isinstance(side, StaticValue | DataDependentValue) for side in others):
        return CapturedArray()
    try:
        return CapturedArray(TensorType(shapes[0] if others else broadcast_shapes(shapes[0], shapes[1])))
    except InferError:
        return CapturedArray()


def _settings(a: Value, b: Value) -> bool:
    return (
        isinstance(a, StaticValue | Unknown)
        and isinstance(b, StaticValue | Unknown)
        and StaticValue in {type(a), type(b)}
    )


def _folded(symbol: str, a: Any, b: Any) -> Any:
    fold = _PYTHON.get(symbol)
    if fold is None or a is STATIC_UNKNOWN or b is STATIC_UNKNOWN:
        return STATIC_UNKNOWN
    if symbol == "*" and any(isinstance(side, str | bytes | list | tuple) for side in (a, b)):
        return STATIC_UNKNOWN
    if symbol in {"**", "<<"} and isinstance(a, int) and isinstance(b, int) and a.bit_length() * b > _LARGEST_POWER:
        return STATIC_UNKNOWN
    if symbol == "%" and isinstance(a, str | bytes) and _WIDE.search(a if isinstance(a, str) else repr(a)):
        return STATIC_UNKNOWN
    return fold_call(fold, a, b)


def _lengthened(known: Value) -> Value:
    """Return a container of functions with as many others as anybody likes; Unknown for other containers."""
    assert isinstance(known, ContainerValue)
    each = join_members(element(known), Unknown())
    return ContainerValue(known.kind, None, each) if isinstance(each, CallableUnion) else Unknown()


def _concatenated(a: ContainerValue, b: ContainerValue) -> ContainerValue:
    if a.items is not None and b.items is not None:
        items = (*a.items, *b.items)
        return told_apart(ContainerValue(a.kind, items)) if len(items) <= MOST_ITEMS else ContainerValue(a.kind, None)
    parts = [element(side) for side in (a, b) if side.items != ()]
    return ContainerValue(a.kind, None, parts[0] if len(parts) == 1 else join_members(*parts))
