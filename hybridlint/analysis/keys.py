"""What stands between the brackets of a subscript, as values."""

from __future__ import annotations

import ast
from typing import NamedTuple

from hybridlint.analysis.values import Items, Static, Value


class Key(NamedTuple):
    """A subscript's key: its parts, one for each dimension, and whether it is a tuple of them."""

    parts: tuple[Value, ...]
    several: bool


def key_of(index: ast.expr, values: tuple[Value, ...]) -> Key:
    """Return the key of ``x[index]``, a tuple under a name spread out. `values` are those of the parts as written."""
    if isinstance(index, ast.Tuple) and index.elts:
        return Key(values, several=True)
    match values:
        case (Items(kind="tuple", items=tuple() as parts),):
            return Key(parts, several=True)
        case (Static(value=tuple() as parts),):
            return Key(tuple(Static(part) for part in parts), several=True)
        case _:
            return Key(values, several=False)
