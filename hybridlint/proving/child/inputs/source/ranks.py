"""Facts about inputs in a forward method's source: their number of dimensions, and the first layer's input.

An input is followed into helper methods and children that it is passed to.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, NamedTuple

from hybridlint.proving.child.inputs.source.input_flow import (
    DEPTH,
    first_layers,
    forward_of,
    is_layer,
    passed_on,
    tree_of,
)
from hybridlint.proving.child.inputs.source.input_hints import layer_input
from hybridlint.proving.child.specs.spec import TensorSpec

#: The most dimensions of an array whose source says nothing else.
MOST = 9
_MODULES = ("F", "nd", "mx", "np", "npx")


class Implied(NamedTuple):
    """Implied facts about an input: its least and most dimensions, and specs that its first layer accepts."""

    least: int = 1
    most: int = MOST
    specs: tuple[TensorSpec, ...] = ()

    def both(self, other: Implied) -> Implied:
        """Return what two places imply together."""
        return Implied(max(self.least, other.least), min(self.most, other.most), self.specs or other.specs)


def implied_facts(block: Any, function: Any, depth: int = DEPTH) -> dict[str, Implied]:
    """Return implied facts about the arguments of `function`, a method of `block`; empty without source."""
    tree = tree_of(function)
    if tree is None:
        return {}
    found: dict[str, Implied] = {}
    for node, least, most in _rank_hints(tree):
        if isinstance(node, ast.Name):
            found[node.id] = found.get(node.id, Implied()).both(Implied(least, most))
    for call in passed_on(block, function) if depth else ():
        inner = _of_layers(call.block) if call.function is None else implied_facts(call.block, call.function, depth - 1)
        for argument, name in call.names.items():
            if argument in inner:
                found[name] = found.get(name, Implied()).both(inner[argument])
    return found


def _of_layers(layer: Any) -> dict[str, Implied]:
    """Return the facts that a layer, or the first known layer of a sequence, implies about its input.

    Their name is "".
    """
    for first in first_layers(layer):
        specs = layer_input(first) if is_layer(first) else []
        if specs:
            counts = [len(spec.shape) for spec in specs]
            return {"": Implied(min(counts), MOST if _any_rank(first) else max(counts), tuple(specs))}
        if not is_layer(first):
            inner = list(implied_facts(first, forward_of(first), 1).values())
            return {"": inner[0]} if inner else {}
    return {}


def _any_rank(layer: Any) -> bool:
    return type(layer).__name__ in ("Dense", "Embedding", "BatchNorm", "LayerNorm", "GroupNorm", "InstanceNorm")


def _rank_hints(tree: ast.AST) -> Iterator[tuple[ast.AST, int, int]]:
    """Yield (expression, least, most) for the dimensions of what an expression holds."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], (ast.Tuple, ast.List)):
            if isinstance(node.value, ast.Attribute) and node.value.attr == "shape":
                count = len(node.targets[0].elts)
                starred = any(isinstance(e, ast.Starred) for e in node.targets[0].elts)
                yield node.value.value, count - starred, MOST if starred else count
        elif isinstance(node, ast.Subscript):
            yield from _of_subscript(node)
        elif isinstance(node, ast.Call):
            yield from _of_call(node)


def _of_subscript(node: ast.Subscript) -> Iterator[tuple[ast.AST, int, int]]:
    key: Any = getattr(node.slice, "value", node.slice) if type(node.slice).__name__ == "Index" else node.slice
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
