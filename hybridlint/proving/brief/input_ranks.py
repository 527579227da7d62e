"""The numbers of dimensions that code implies of arrays, and the axes of size 1 that it squeezes."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from hybridlint.proving.child.inputs.source.ranks import MOST

_MODULES = ("F", "nd", "mx", "np", "npx")


def ranks(nodes: list[ast.AST]) -> dict[str, tuple[int, int]]:
    """Return the least and most dimensions of the names in a function that its code implies."""
    found: dict[str, tuple[int, int]] = {}
    for node, least, most in (hint for part in nodes for hint in _rank_hints(part)):
        if isinstance(node, ast.Name):
            known = found.get(node.id, (1, MOST))
            found[node.id] = max(known[0], least), min(known[1], most)
    return found


def squeezed(nodes: list[ast.AST]) -> dict[str, tuple[int, ...]]:
    """Return the axes at which a function squeezes its arguments, by their names."""
    found: dict[str, set[int]] = {}
    for node in nodes:
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute) or node.func.attr != "squeeze":
            continue
        # A function of an array, `F.squeeze(x, axis=1)`, or its method, `x.squeeze(axis=1)`.
        given = [node.func.value, *node.args]
        if len(node.args) == 2 or (node.keywords and node.args):
            given = node.args
        axes = [*(keyword.value for keyword in node.keywords if keyword.arg == "axis"), *given[1:2]]
        if isinstance(given[0], ast.Name) and axes:
            value = _literal(axes[0])
            numbers = {axis for axis in (value if isinstance(value, tuple) else (value,)) if type(axis) is int}
            found.setdefault(given[0].id, set()).update(numbers)
    return {name: tuple(sorted(axes)) for name, axes in found.items()}


def _rank_hints(node: ast.AST) -> Iterator[tuple[ast.AST, int, int]]:
    """Yield (expression, least, most) for the dimensions of what an expression holds."""
    if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple | ast.List):
        if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
            count = len(node.targets[0].elts)
            starred = any(isinstance(e, ast.Starred) for e in node.targets[0].elts)
            yield node.value.value, count - starred, MOST if starred else count
    elif isinstance(node, ast.Subscript):
        yield from _of_subscript(node)
    elif isinstance(node, ast.Call):
        yield from _of_call(node)


def _of_subscript(node: ast.Subscript) -> Iterator[tuple[ast.AST, int, int]]:
    key = node.slice
    if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
        place = _literal(key)
        if type(place) is int:
            yield node.value.value, _axes((place,)), MOST
    elif isinstance(key, ast.Tuple):
        count = sum(not (isinstance(e, ast.Constant) and e.value in (None, ...)) for e in key.elts)
        yield node.value, count, MOST


def _of_call(node: ast.Call) -> Iterator[tuple[ast.AST, int, int]]:
    called = node.func.attr if isinstance(node.func, ast.Attribute) else ""
    owner: Any = node.func.value if isinstance(node.func, ast.Attribute) else None
    of_module = not called or (isinstance(owner, ast.Name) and owner.id in _MODULES)
    arguments = node.args[1:] if of_module else node.args
    target = (node.args[0] if node.args else None) if of_module else owner
    if target is None:
        return
    for keyword in node.keywords:
        value = _literal(keyword.value)
        axes = value if isinstance(value, tuple) and value and all(type(a) is int for a in value) else ()
        if keyword.arg in ("axis", "axis1", "axis2", "dim1", "dim2", "dim") and (axes or type(value) is int):
            # The axis of an added dimension may be one more than the last.
            added = called in ("expand_dims", "stack")
            for one in node.args if called in ("stack", "concat") else [target]:
                yield one, _axes(axes or (value,)) - added, MOST
        elif keyword.arg == "kernel" and axes:
            yield target, len(axes) + 2, len(axes) + 2
        elif keyword.arg == "shape" and called == "reshape":
            yield target, _kept(axes), MOST
    if called == "reshape" and arguments:
        yield target, _kept(_literal(arguments[0])), MOST
    elif called == "transpose":
        named = [keyword.value for keyword in node.keywords if keyword.arg == "axes"]
        whole = [*named, *arguments[:1]] if len(arguments) < 2 else [ast.Tuple(arguments, ast.Load())]
        order = _literal(whole[0]) if whole else None
        if isinstance(order, tuple) and order:
            yield target, len(order), len(order)
    elif called == "swapaxes" and len(arguments) == 2:
        yield target, _axes(tuple(map(_literal, arguments))), MOST
    elif called == "batch_dot":
        yield from ((argument, 3, 3) for argument in node.args[:2])


def _axes(axes: tuple[Any, ...]) -> int:
    """Return how many dimensions an array with these axes has at least."""
    return max((axis + 1 if axis >= 0 else -axis for axis in axes if type(axis) is int), default=1)


def _kept(shape: Any) -> int:
    """Return the least number of dimensions of an array that is reshaped to `shape`; 0 keeps its axis."""
    plain = isinstance(shape, tuple) and 0 in shape and all(type(size) is int and size >= -1 for size in shape)
    if not plain:
        return 1
    last = max(place for place, size in enumerate(shape) if size == 0)
    return last + 1 + (-1 in shape[last + 1 :])


def _literal(node: ast.AST) -> Any:
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        return None
