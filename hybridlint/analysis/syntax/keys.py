"""Subscript keys: the parts between the brackets, as values."""

from __future__ import annotations

import ast
from typing import NamedTuple

from hybridlint.analysis.model.values import Concrete, ForeignTensor, Items, NumpyArray, Static, Tensor, Value


class Key(NamedTuple):
    """A subscript's key: its parts, one per dimension, and whether it is a tuple of them."""

    parts: tuple[Value, ...]
    several: bool


def key_of(index: ast.expr, values: tuple[Value, ...]) -> Key:
    """Return the key of ``x[index]``, expanding a tuple in a variable. `values` are those of the parts as written."""
    if isinstance(index, ast.Tuple) and index.elts and not is_spread(index):
        return Key(values, several=True)
    match values:
        case (Items(kind="tuple", items=tuple() as parts),):
            return Key(parts, several=True)
        case (Static(value=tuple() as parts),):
            return Key(tuple(Static(part) for part in parts), several=True)
        case _:
            return Key(values, several=False)


def is_spread(index: ast.expr) -> bool:
    """Return whether a key is a tuple with starred parts: ``x[(*key, 0)]``."""
    return isinstance(index, ast.Tuple) and any(isinstance(part, ast.Starred) for part in index.elts)


def is_lone_last(key: Key) -> bool:
    """Return whether a key is -1, which a Symbol of numpy mode accepts but turns into an unusable graph."""
    return not key.several and isinstance(key.parts[0], Static) and key.parts[0].value == -1


def refusal(key: Key) -> str | None:
    """Return the name of the exception that a Symbol of numpy mode raises for a key; None if it accepts the key."""
    return next((raised for raised in map(_refusal, key.parts) if raised is not None), None)


def _refusal(part: Value) -> str | None:
    match part:
        case Static(numpy=True):
            return None
        case Static(value=slice() as cut):
            flags = any(isinstance(bound, bool) for bound in (cut.start, cut.stop, cut.step))
            return "MXNetError" if flags else None
        case Static(value=bool()) | Concrete(reason="index"):
            return "MXNetError"
        case Static(value=None | list() | tuple() | range()):
            return "IndexError"
        case Static(value=value):
            return "IndexError" if value is Ellipsis else None
        case Tensor() | ForeignTensor() | NumpyArray() | Items():
            return "IndexError"
        case _:
            return None
