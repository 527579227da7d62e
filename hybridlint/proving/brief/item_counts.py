"""Numbers of items in code: literals, attributes that hold numbers, lengths of lists, turns of loops."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator

from hybridlint.proving.brief.dotted_names import own_attribute
from hybridlint.proving.child.brief.inputs import Count, ItemCount

#: Functions that give all items of their argument.
_ALL_ITEMS = ("reversed", "list", "tuple", "enumerate", "sorted")
_UNKNOWN = Count()


def _number(node: ast.expr) -> Count | None:
    """Return an integer literal, an attribute, or the length of one; None for any other expression."""
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "len" and node.args:
        return _length(node.args[0])
    if isinstance(node, ast.Constant):
        return Count(node.value) if type(node.value) is int else None
    return Count(attribute=own) if (own := own_attribute(node)) else None


def _length(node: ast.expr) -> Count | None:
    return Count(attribute=own, length=True) if (own := own_attribute(node)) else None


def _whole(node: ast.expr) -> ast.expr:
    """Return the list whose items `reversed(items)`, `list(items)` and the like give."""
    while isinstance(node, ast.Call) and getattr(node.func, "id", "") in _ALL_ITEMS and node.args:
        node = node.args[0]
    return node


def _beside(call: ast.Call, name: str) -> ItemCount | None:
    """Return the length of a list that `zip` pairs with other lists of the block; None if it pairs it with none."""
    left_out = [_left_out(argument, name) for argument in call.args]
    more = [count for count in left_out if count is not None]
    others = (argument for argument, count in zip(call.args, left_out, strict=True) if count is None)
    counts = tuple(count for argument in others if (count := _length(_whole(argument))) is not None)
    return ItemCount(counts, max(more)) if more and counts else None


def _left_out(node: ast.expr, name: str) -> int | None:
    """Return how many items an expression leaves out of a list: 1 for `reversed(inputs[:-1])`, None if it is none."""
    node = _whole(node)
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Slice) and node.slice.step is None:
        inner = _left_out(node.value, name)
        first, last = _literal(node.slice.lower, 0), _literal(node.slice.upper, 0)
        return None if inner is None or first is None or last is None else inner + max(first, 0) + max(-last, 0)
    return 0 if getattr(node, "id", "") == name else None


def _literal(node: ast.expr | None, default: int) -> int | None:
    try:
        value = default if node is None else ast.literal_eval(node)
    except ValueError:
        return None
    return value if type(value) is int else None


def _turns(loop: ast.For | ast.comprehension) -> tuple[str, Count | None] | None:
    """Return the counter of a loop over `range` or `enumerate`, and its number of turns, None if unknown.

    None for another loop, which has no counter.
    """
    source, target = loop.iter, loop.target
    called = getattr(source.func, "id", "") if isinstance(source, ast.Call) else ""
    if not isinstance(source, ast.Call) or not source.args:
        return None
    if called == "range" and isinstance(target, ast.Name) and len(source.args) <= 2:
        return target.id, _number(source.args[-1])
    if called == "enumerate" and isinstance(target, ast.Tuple) and isinstance(target.elts[0], ast.Name):
        return target.elts[0].id, _length(source.args[0])
    return None


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


def item_counts(nodes: list[ast.AST], arguments: Collection[str]) -> dict[str, tuple[ItemCount, ...]]:
    """Return the numbers of items of each argument that code indexes at several places.

    The places are literals, or the counter of a loop.
    """
    loops = (node for node in nodes if isinstance(node, ast.For | ast.comprehension))
    counters = dict(filter(None, map(_turns, loops)))
    found: dict[str, list[ItemCount]] = {}
    places: dict[str, set[int]] = {}
    for node in (node for node in nodes if isinstance(node, ast.Subscript)):
        name, place = getattr(node.value, "id", ""), _place(node)
        if name not in arguments:
            continue
        if place is not None:
            places.setdefault(name, set()).add(place)
        counter = getattr(node.slice, "id", "")
        if counter in counters:
            found.setdefault(name, []).append(ItemCount((counters[counter] or _UNKNOWN,)))
    for name, some in places.items():
        if len(some) > 1:
            found.setdefault(name, []).append(ItemCount((Count(max(some) + 1),)))
    return {name: tuple(some) for name, some in found.items()}


def paired_counts(nodes: list[ast.AST], arguments: Collection[str]) -> dict[str, tuple[ItemCount, ...]]:
    """Return how many items each argument of a function has that is gone through beside lists of the block."""
    calls = [node for node in nodes if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "zip"]
    found = {name: tuple(filter(None, (_beside(call, name) for call in calls))) for name in sorted(arguments)}
    return {name: some for name, some in found.items() if some}


def possible_counts(nodes: list[ast.AST], name: str) -> Iterator[ItemCount]:
    """Yield the possible numbers of the items of an argument, by the loops over them in a function.

    There are as many as in the list that `zip` pairs them with, as numbers in the `range` that indexes them, or as in
    the list that the loop indexes with its counter.
    """
    for part in nodes:
        if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "zip":
            yield from filter(None, [_beside(part, name)])
        elif isinstance(part, ast.For | ast.comprehension) and _chosen_by(nodes, name, part.target):
            yield from _last(part.iter)
        elif isinstance(part, ast.For | ast.comprehension) and _numbered(part, name):
            yield from _indexed(nodes, part.target)


def _numbered(loop: ast.For | ast.comprehension, name: str) -> bool:
    """Whether a loop enumerates the inputs."""
    counted = loop.iter
    if not isinstance(counted, ast.Call) or getattr(counted.func, "id", "") != "enumerate" or not counted.args:
        return False
    return getattr(counted.args[0], "id", "") == name and isinstance(loop.target, ast.Tuple)


def _indexed(nodes: list[ast.AST], target: ast.expr) -> Iterator[ItemCount]:
    """Yield the lengths of the lists that a loop over `enumerate(inputs)` indexes with its counter."""
    counter = getattr(target.elts[0], "id", None) if isinstance(target, ast.Tuple) else None
    for part in nodes:
        if isinstance(part, ast.Subscript) and getattr(part.slice, "id", "") == counter:
            count = _length(part.value)
            if count is not None:
                yield ItemCount((count,))


def _chosen_by(nodes: list[ast.AST], name: str, target: ast.expr) -> bool:
    """Whether a loop uses its counter as an index into the inputs."""
    counter = getattr(target, "id", None)
    subscripts = (part for part in nodes if isinstance(part, ast.Subscript) and getattr(part.value, "id", "") == name)
    return counter is not None and any(getattr(part.slice, "id", "") == counter for part in subscripts)


def _last(counted: ast.expr) -> Iterator[ItemCount]:
    if isinstance(counted, ast.Call) and getattr(counted.func, "id", "") == "range" and 0 < len(counted.args) <= 2:
        count = _number(counted.args[-1])
        if count is not None:
            yield ItemCount((count,))


def _place(node: ast.Subscript) -> int | None:
    key = node.slice.value if isinstance(node.slice, ast.Constant) else None
    return key if type(key) is int and isinstance(node.ctx, ast.Load) else None
