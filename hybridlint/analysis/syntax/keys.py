"""Subscript keys: the parts between the brackets, as values."""

from __future__ import annotations

import ast
from typing import NamedTuple

from hybridlint.analysis.model.values import STATIC_UNKNOWN, ContainerValue, StaticValue, Value
from hybridlint.analysis.model.written_shapes import ONE_ELEMENT, SOME_ELEMENTS
from hybridlint.text.syntax import takes_one


class Key(NamedTuple):
    """A subscript's key: its parts, one per dimension, and whether the key is a tuple."""

    parts: tuple[Value, ...]
    several: bool


def key_of(index: ast.expr, values: tuple[Value, ...]) -> Key:
    """Return the key of ``x[index]``, expanding a tuple in a variable. `values` are those of the parts as written."""
    if isinstance(index, ast.Tuple) and index.elts and not is_spread(index):
        return Key(values, several=True)
    match values:
        case (ContainerValue(kind="tuple", items=tuple() as parts),):
            return Key(parts, several=True)
        case (StaticValue(value=tuple() as parts),):
            return Key(tuple(StaticValue(part) for part in parts), several=True)
        case _:
            return Key(values, several=False)


def with_slices(index: ast.expr, values: tuple[Value, ...]) -> tuple[Value, ...]:
    """Return the parts of a key, with `ONE_ELEMENT` or `SOME_ELEMENTS` for each slice whose bounds are unknown."""
    nodes = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(nodes) != len(values):
        return values
    return tuple(_with_bounds(node, value) for node, value in zip(nodes, values, strict=True))


def _with_bounds(node: ast.expr, value: Value) -> Value:
    if not isinstance(node, ast.Slice) or not isinstance(value, StaticValue) or value.value is not STATIC_UNKNOWN:
        return value
    return StaticValue(ONE_ELEMENT if node.step is None and takes_one(node.lower, node.upper) else SOME_ELEMENTS)


def is_spread(index: ast.expr) -> bool:
    """Return whether a key is a tuple with starred parts: ``x[(*key, 0)]``."""
    return isinstance(index, ast.Tuple) and any(isinstance(part, ast.Starred) for part in index.elts)
