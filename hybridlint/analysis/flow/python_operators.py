"""Python operators between values that are not tensors: numbers, strings, containers, numpy arrays."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable
from typing import Any

from hybridlint.analysis.model.folding import MOST_ITEMS, folded, told_apart
from hybridlint.analysis.model.lattice import element, join_members
from hybridlint.analysis.model.options import compared
from hybridlint.analysis.model.settings import items_of
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    TEXT,
    TRUE_OR_FALSE,
    Choice,
    Concrete,
    ForeignTensor,
    Items,
    NumpyArray,
    Static,
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
        case (Items(), Items()) if symbol == "+":
            return _concatenated(a, b)
        case (Items(), Unknown() | Static()) | (Unknown() | Static(), Items()) if symbol == "+":
            first, second = (items_of(side) or side for side in (a, b))
            if isinstance(first, Items) and isinstance(second, Items):
                return _concatenated(first, second)
            return _lengthened(a if isinstance(a, Items) else b)
        case (Items(kind=kind), Static(value=count)) | (Static(value=count), Items(kind=kind)) if symbol == "*":
            items = a if isinstance(a, Items) else b
            assert isinstance(items, Items)
            if items.items is not None and type(count) is int and 0 <= count * len(items.items) <= 64:
                return Items(kind, items.items * count)
            return Items(kind, None, element(items))
        case Static(), Static():
            return _of_settings(symbol, a, b)
        case (Concrete(), _) | (_, Concrete()) if symbol in COMPARISONS:
            return _of_comparison(a, b)
        case (Concrete(), Static() | Concrete()) | (Static(), Concrete()):
            return a if isinstance(a, Concrete) else b
        case (NumpyArray(), Static() | NumpyArray() | Concrete()) | (Static() | Concrete(), NumpyArray()):
            return _of_arrays(symbol, a, b)
        case (ForeignTensor(), _) | (_, ForeignTensor()) if not isinstance(a, Unknown) and not isinstance(b, Unknown):
            return _of_eager_arrays(a, b)
        case (Items(kind="tuple"), Items(kind="tuple")) if symbol in _ORDERS:
            return _in_order(symbol, a, b)
        case (Items(), Items()) if symbol in COMPARISONS:
            return TRUE_OR_FALSE
        case _:
            return Static(STATIC_UNKNOWN) if symbol in COMPARISONS and _settings(a, b) else Unknown()


def _of_comparison(a: Value, b: Value) -> Concrete:
    """Return the result of comparing what was read from a tensor."""
    read = [side for side in (a, b) if isinstance(side, Concrete)]
    sized = any(side.sized or side.reason in SIZES for side in read)
    tell = next((side.tell for side in read if side.tell is not None), None)
    return Concrete(TEXT if Concrete(TEXT) in read else "comparison", sized=sized, tell=tell)


def _in_order(symbol: str, a: Items, b: Items) -> Static:
    """Compare two tuples by their first differing elements, as far as these are known."""
    for one, other in zip(a.items or (), b.items or (), strict=False):
        same = compared(ast.Eq(), one, other)
        if same is not True:
            found = None if same is None else compared(_ORDERS[symbol], one, other)
            return TRUE_OR_FALSE if found is None else Static(found, certain=True)
    return TRUE_OR_FALSE


def _of_settings(symbol: str, a: Static, b: Static) -> Static:
    known = _folded(symbol, a.value, b.value)
    if known is not STATIC_UNKNOWN:
        return Static(known, certain=a.certain and b.certain, numpy=a.numpy or b.numpy)
    answers = symbol in COMPARISONS or (symbol in _LOGIC and a.is_boolean and b.is_boolean)
    return TRUE_OR_FALSE if answers else Static(STATIC_UNKNOWN)


def _of_arrays(symbol: str, a: Value, b: Value) -> NumpyArray:
    """Return the numpy array that an operator on arrays yields: booleans if it compares an array with a number."""
    array, other = (a, b) if isinstance(a, NumpyArray) else (b, a)
    if symbol not in COMPARISONS or not isinstance(array, NumpyArray) or not isinstance(other, Static):
        return NumpyArray()
    return NumpyArray(array.type.with_dtype("bool"))


def _of_eager_arrays(a: Value, b: Value) -> ForeignTensor:
    """Return the array that an operator makes of an array and a number, or of two arrays, which broadcast."""
    shapes = [side.type.shape for side in (a, b) if isinstance(side, ForeignTensor)]
    others = [side for side in (a, b) if not isinstance(side, ForeignTensor)]
    if not all(isinstance(side, Static | Concrete) for side in others):
        return ForeignTensor()
    try:
        return ForeignTensor(TensorType(shapes[0] if others else broadcast_shapes(shapes[0], shapes[1])))
    except InferError:
        return ForeignTensor()


def _settings(a: Value, b: Value) -> bool:
    return isinstance(a, Static | Unknown) and isinstance(b, Static | Unknown) and Static in {type(a), type(b)}


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
    return folded(fold, a, b)


def _lengthened(known: Value) -> Value:
    """Return a container of functions with as many others as anybody likes; Unknown for other containers."""
    assert isinstance(known, Items)
    each = join_members(element(known), Unknown())
    return Items(known.kind, None, each) if isinstance(each, Choice) else Unknown()


def _concatenated(a: Items, b: Items) -> Items:
    if a.items is not None and b.items is not None:
        items = (*a.items, *b.items)
        return told_apart(Items(a.kind, items)) if len(items) <= MOST_ITEMS else Items(a.kind, None)
    parts = [element(side) for side in (a, b) if side.items != ()]
    return Items(a.kind, None, parts[0] if len(parts) == 1 else join_members(*parts))
