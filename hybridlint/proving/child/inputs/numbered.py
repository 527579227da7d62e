"""Arguments that a function takes apart by number only, such as `states[0]` and `states[1]`: lists, not arrays."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any


def numbered(tree: ast.AST, names: Collection[str]) -> dict[str, int]:
    """Return how many items each of the names holds at least, if nothing but items at literal places is read of it."""
    subscripts = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    places: dict[str, list[int]] = {name: [] for name in names}
    for node in subscripts:
        name, place = getattr(node.value, "id", ""), _place(node)
        if name in places and place is not None:
            places[name].append(place)
    reads = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return {name: max(found) + 1 for name, found in places.items() if found and reads.count(name) == len(found)}


def _place(node: ast.Subscript) -> int | None:
    key: Any = getattr(node.slice, "value", node.slice)
    key = getattr(key, "value", key)
    return key if type(key) is int and isinstance(node.ctx, ast.Load) else None
