"""Inputs followed to where a forward method passes them: its helper methods, its children, functions of the module."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from hybridlint.proving.child.classes import ENTRY

#: How many nested calls an input is followed through.
DEPTH = 3
_ITERATORS = ("enumerate", "reversed", "zip", "list")
_ENGINE = ("mxnet.", "hybridlint.runtime.")
#: Ending of the name that an argument has once it was assigned another value.
_LATER = "'"


class ForwardedInput(NamedTuple):
    """A call that gets inputs of a forward method unchanged.

    `block` is the block whose method is called (the caller's own for a plain function), `function` is what runs, None
    for a layer of MXNet. `names` maps an argument of `function` to the caller's input; a layer has the argument "".
    """

    block: Any
    function: Any
    names: dict[str, str]


def tree_of(function: Any) -> ast.AST | None:
    """Return the syntax tree of a function, None if its source is not known.

    Once an argument was assigned another value it has another name in the tree, so that its name stands for the input.
    """
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError, ValueError):
        return None
    arguments = {node.arg for node in ast.walk(tree) if isinstance(node, ast.arg)}
    until: dict[str, tuple[int, int]] = {}
    for names, place in _assigned(tree):
        for name in names & arguments:
            until[name] = min(until.get(name, place), place)
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and node.id in until and (node.lineno, node.col_offset) >= until[node.id]:
            node.id += _LATER
    return tree


def _assigned(tree: ast.AST) -> Iterator[tuple[set[str], tuple[int, int]]]:
    """Yield (names, place) for each assignment and loop: from the place on, the names have another value.

    An assignment under a condition is left out: the name may hold the input after it.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If):
            continue
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            yield _stored(node.targets if isinstance(node, ast.Assign) else [node.target]), _end(node)
        elif isinstance(node, ast.For):
            yield _stored([node.target]), _end(node.target)
        yield from _assigned(node)


def _stored(targets: Sequence[ast.expr]) -> set[str]:
    parts = (part for target in targets for part in ast.walk(target))
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def passed_on(block: Any, function: Any) -> Iterator[ForwardedInput]:
    """Yield the calls in `function`, a method of `block` or a function that it calls, that get its arguments."""
    tree = tree_of(function)
    if tree is None:
        return
    items = _items(block, tree)
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        given = [getattr(argument, "id", "") for argument in call.args]
        named = {k.arg: getattr(k.value, "id", "") for k in call.keywords if k.arg}
        if any(isinstance(argument, ast.Starred) for argument in call.args):
            continue
        owner, called = _called(block, function, call.func, items)
        names = {} if owner is None else _bound(called, given, named)
        if names:
            yield ForwardedInput(owner, called, names)


def first_layers(block: Any) -> Iterator[Any]:
    """Yield the layers that an input passes through in a sequence of layers, in order."""
    if not is_sequence(block):
        yield block
        return
    for child in block._children.values():
        yield from first_layers(alive(child))


def is_sequence(block: Any) -> bool:
    """Whether a block passes its input through its children one after the other."""
    return type(block).__name__ in ("HybridSequential", "Sequential")


def alive(child: Any) -> Any:
    """Return the block that an entry of `_children` stands for; MXNet 2 stores weak references."""
    return child() if type(child).__name__ == "ReferenceType" else child


def _items(block: Any, tree: ast.AST) -> dict[str, Any]:
    """Return the first block that each loop variable holds in loops over children of the block."""
    found: dict[str, Any] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.For, ast.comprehension)):
            for target, source in _pairs(node.target, node.iter):
                owner = _attribute(block, source)
                children = [alive(c) for c in getattr(owner, "_children", {}).values()] if owner is not None else []
                listed = owner if isinstance(owner, (list, tuple)) else children
                if isinstance(target, ast.Name) and len(listed) and hasattr(listed[0], "_children"):
                    found.setdefault(target.id, listed[0])
    return found


def _pairs(target: ast.expr, source: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield (loop target, what it goes through) for a loop, also within `zip` and `enumerate`."""
    called = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
    if not isinstance(source, ast.Call) or called not in _ITERATORS or not source.args:
        yield target, source
        return
    targets = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
    if called == "enumerate":
        yield from _pairs(targets[-1], source.args[0])
    elif called == "zip":
        for one, inner in zip(targets, source.args):  # noqa: B905 - the child also runs under Python 3.8
            yield from _pairs(one, inner)
    else:
        yield from _pairs(target, source.args[0])


def _attribute(block: Any, node: ast.AST) -> Any:
    """Return the value of an expression of attributes of self and literal indices, None for any other expression."""
    if isinstance(node, ast.Attribute):
        plain = isinstance(node.value, ast.Name) and node.value.id == "self"
        owner = block if plain else _attribute(block, node.value)
        return None if owner is None else getattr(owner, node.attr, None)
    if isinstance(node, ast.Subscript):
        owner = _attribute(block, node.value)
        key: Any = getattr(node.slice, "value", node.slice)
        try:
            return None if owner is None or type(key) is not int else owner[key]
        except Exception:
            return None
    return None


def _called(block: Any, function: Any, called: ast.expr, items: dict[str, Any]) -> tuple[Any, Any]:
    """Return (block, function) for a call; the function is None for a layer, both for an unknown call."""
    if isinstance(called, ast.Name):
        if called.id in items:
            return _of_block(items[called.id])
        plain = getattr(function, "__globals__", {}).get(called.id)
        return (block, plain) if inspect.isfunction(plain) else (None, None)
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call):
        return _of_super(block, function, called)
    value = _attribute(block, called)
    if hasattr(value, "_children"):
        return _of_block(value)
    if inspect.ismethod(value) and value.__self__ is block and not value.__func__.__module__.startswith(_ENGINE):
        return block, value
    return None, None


def _of_super(block: Any, function: Any, called: ast.Attribute) -> tuple[Any, Any]:
    plain = getattr(function, "__func__", function)
    if getattr(getattr(called.value, "func", None), "id", "") != "super":
        return None, None
    mro = type(block).__mro__
    places = [k for k, base in enumerate(mro) if plain in vars(base).values()]
    for base in mro[places[0] + 1 :] if places else ():
        if called.attr in vars(base):
            own = inspect.isfunction(vars(base)[called.attr]) and not base.__module__.startswith(_ENGINE)
            return (block, vars(base)[called.attr].__get__(block)) if own else (None, None)
    return None, None


def _of_block(child: Any) -> tuple[Any, Any]:
    return child, None if is_sequence(child) or is_layer(child) else forward_of(child)


def is_layer(block: Any) -> bool:
    """Whether a block is one of MXNet's own layers."""
    return type(block).__module__.startswith(_ENGINE)


def forward_of(block: Any) -> Any:
    """Return the forward method that a project's block defines, None if it inherits MXNet's."""
    for name in (ENTRY, "forward"):
        for base in type(block).__mro__:
            if name in vars(base) and not base.__module__.startswith(_ENGINE):
                return getattr(block, name)
    return None


def _bound(called: Any, given: Sequence[str], named: Mapping[str, str]) -> dict[str, str]:
    """Return {argument of the called function: the caller's name} for the names that a call passes."""
    places = [""] if called is None else _arguments(called)
    if called is not None and called.__name__ == ENTRY and given[:1] != ["F"]:
        # A child is called without F.
        places = places[1:]
    found = {**dict(zip(places, given)), **{place: name for place, name in named.items() if place in places}}  # noqa: B905
    return {place: name for place, name in found.items() if name and name not in ("F", "self")}


def _arguments(function: Any) -> list[str]:
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return []
    return [p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
