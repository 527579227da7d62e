"""Arguments that a function takes apart by number, such as `states[0]` and `states[1]`, or by the counter of a loop."""

from __future__ import annotations

import ast
from collections.abc import Collection
from typing import Any

from hybridlint.proving.child.inputs.source.counts import beside, turns


def least_items(tree: ast.AST, names: Collection[str]) -> dict[str, int]:
    """Return the least number of items of each name, if code reads only items at literal indices."""
    subscripts = [node for node in ast.walk(tree) if isinstance(node, ast.Subscript)]
    places: dict[str, list[int]] = {name: [] for name in names}
    for node in subscripts:
        name, place = getattr(node.value, "id", ""), _place(node)
        if name in places and place is not None:
            places[name].append(place)
    reads = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)]
    return {name: max(found) + 1 for name, found in places.items() if found and reads.count(name) == len(found)}


def item_counts(block: Any, tree: ast.AST) -> dict[str, int]:
    """Return the number of items of each argument that code indexes at several places; 0 if unknown.

    The places are literals, or the counter of a loop.
    """
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    loops = (node for node in ast.walk(tree) if isinstance(node, (ast.For, ast.comprehension)))
    counters = dict(filter(None, (turns(block, loop) for loop in loops)))
    found: dict[str, int] = {}
    places: dict[str, set[int]] = {}
    for node in (node for node in ast.walk(tree) if isinstance(node, ast.Subscript)):
        name, place = getattr(node.value, "id", ""), _place(node)
        if name not in arguments:
            continue
        if place is not None:
            places.setdefault(name, set()).add(place)
        counter = getattr(getattr(node.slice, "value", node.slice), "id", "")
        if counter in counters:
            found[name] = max(found.get(name, 0), counters[counter] or 0)
    several = {name: max(some) + 1 for name, some in places.items() if len(some) > 1}
    return {**found, **{name: max(count, found.get(name, 0)) for name, count in several.items()}}


def paired_counts(block: Any, tree: ast.AST) -> dict[str, int]:
    """Return how many items each argument of a function has that is gone through beside lists of the block."""
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    calls = [n for n in ast.walk(tree) if isinstance(n, ast.Call) and getattr(n.func, "id", "") == "zip"]
    found = {name: [beside(block, call, name) for call in calls] for name in sorted(arguments)}
    return {name: max(counts) for name, some in found.items() if (counts := [count for count in some if count])}


def _place(node: ast.Subscript) -> int | None:
    key: Any = getattr(node.slice, "value", node.slice)
    key = getattr(key, "value", key)
    return key if type(key) is int and isinstance(node.ctx, ast.Load) else None
