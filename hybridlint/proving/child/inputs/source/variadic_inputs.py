"""Names for the inputs that a block takes as ``*inputs``: the variables or arguments that they become."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from hybridlint.proving.child.classes import ENTRY
from hybridlint.proving.child.inputs.source.counts import beside, length, number
from hybridlint.proving.child.inputs.source.input_flow import passed_on, tree_of

#: How many nested calls ``*inputs`` is followed through, and the most inputs of one block.
_DEPTH, _MOST = 3, 8


def variadic_names(block: Any, function: Any) -> list[list[str]]:
    """Return the lists of names that ``*inputs`` of a function may stand for, the likeliest list first."""
    found = [names for names in _names(block, function, _DEPTH) if 0 < len(names) <= _MOST]
    distinct = {tuple(names): names for names in found}
    return list(distinct.values())


def goes_through_all(function: Any) -> bool:
    """Whether a function iterates over its variadic inputs."""
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, ValueError, IndexError):
        return False
    if not isinstance(node, ast.FunctionDef) or node.args.vararg is None:
        return False
    sources = [part.iter for part in ast.walk(node) if isinstance(part, (ast.For, ast.comprehension))]
    return any(isinstance(source, ast.Name) and source.id == node.args.vararg.arg for source in sources)


def _names(block: Any, function: Any, depth: int) -> Iterator[list[str]]:
    try:
        node = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError, SyntaxError, ValueError, IndexError):
        return
    if not isinstance(node, ast.FunctionDef):
        return
    if node.args.vararg is None:
        names = [argument.arg for argument in node.args.args if argument.arg not in ("self", "F")]
        yield names[: len(names) - len(node.args.defaults)]
        return
    name = node.args.vararg.arg
    if depth:
        for call in (part for part in ast.walk(node) if isinstance(part, ast.Call)):
            if any(isinstance(a, ast.Starred) and getattr(a.value, "id", "") == name for a in call.args):
                yield from _passed_on(block, function, call, depth - 1)
    yield from ([f"input {k}" for k in range(count)] for count in _counts(block, node, name))
    yield from _taken(node, name)
    for passed in passed_on(block, function) if depth else ():
        # A helper that gets all inputs as one argument may go through them.
        inner = tree_of(passed.function) if passed.function is not None else None
        for argument in (argument for argument, given in passed.names.items() if given == name and inner is not None):
            counts = _counts(passed.block, inner.body[0], argument)  # type: ignore[union-attr]
            yield from ([f"input {k}" for k in range(count)] for count in counts)


def _counts(block: Any, node: ast.FunctionDef, name: str) -> Iterator[int]:
    """Yield the possible numbers of inputs, by the loops over ``*inputs`` (`name`) in a function.

    There are as many inputs as items in the list that `zip` pairs them with, as numbers in the `range` that indexes
    them, or as items in the list that the loop indexes with its counter.
    """
    for part in ast.walk(node):
        if isinstance(part, ast.Call) and getattr(part.func, "id", "") == "zip":
            yield from filter(None, [beside(block, part, name)])
        elif isinstance(part, (ast.For, ast.comprehension)) and _chosen_by(node, name, part.target):
            yield from _last(block, part.iter)
        elif isinstance(part, (ast.For, ast.comprehension)) and _numbered(part, name):
            yield from _beside(block, node, part.target)


def _numbered(loop: Any, name: str) -> bool:
    """Whether a loop enumerates the variadic inputs."""
    counted = loop.iter
    called = isinstance(counted, ast.Call) and getattr(counted.func, "id", "") == "enumerate" and bool(counted.args)
    return called and getattr(counted.args[0], "id", "") == name and isinstance(loop.target, ast.Tuple)


def _beside(block: Any, node: ast.FunctionDef, target: Any) -> Iterator[int]:
    """Yield the lengths of the lists that a loop over `enumerate(inputs)` indexes with its counter."""
    counter = getattr(target.elts[0], "id", None)
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript) and getattr(getattr(part.slice, "value", part.slice), "id", "") == counter:
            count = length(block, part.value)
            if count is not None:
                yield count


def _chosen_by(node: ast.FunctionDef, name: str, target: ast.expr) -> bool:
    """Whether a loop uses its counter as an index into the inputs."""
    subscripts = (part for part in ast.walk(node) if isinstance(part, ast.Subscript))
    counter = getattr(target, "id", None)
    return counter is not None and any(
        getattr(part.value, "id", "") == name and getattr(getattr(part.slice, "value", part.slice), "id", "") == counter
        for part in subscripts
    )


def _last(block: Any, counted: ast.expr) -> Iterator[int]:
    if isinstance(counted, ast.Call) and getattr(counted.func, "id", "") == "range" and 0 < len(counted.args) <= 2:
        count = number(block, counted.args[-1])
        if count is not None:
            yield count


def _passed_on(block: Any, function: Any, call: ast.Call, depth: int) -> Iterator[list[str]]:
    """Yield the names of the arguments that ``*inputs`` become in a function that it is passed on to."""
    first = next(k for k, argument in enumerate(call.args) if isinstance(argument, ast.Starred))
    given = [argument for argument in call.args[:first] if getattr(argument, "id", "") != "F"]
    for owner, method in _called(block, function, call.func):
        yield from (names[len(given) :] for names in _names(owner, method, depth))


def _taken(node: ast.FunctionDef, name: str) -> Iterator[list[str]]:
    """Yield the names that a function unpacks or assigns its variadic argument `name` to."""
    last = -1
    for part in ast.walk(node):
        if isinstance(part, ast.Assign) and isinstance(part.targets[0], (ast.Tuple, ast.List)):
            if name in _whole(part.value):
                yield [_shown(element, k) for k, element in enumerate(part.targets[0].elts)]
        elif isinstance(part, ast.Subscript) and getattr(part.value, "id", "") == name:
            last = max(last, _place(part.slice))
    if last >= 0:
        given = {_assigned(part, name): part.targets[0] for part in ast.walk(node) if isinstance(part, ast.Assign)}
        yield [_shown(given.get(k), k) for k in range(last + 1)]


def _whole(value: ast.expr) -> set[str]:
    """Return the names in an expression, except those that are subscripted, starred or arguments of a method."""
    parts = [node.value for node in ast.walk(value) if isinstance(node, (ast.Subscript, ast.Starred))]
    calls = (node for node in ast.walk(value) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute))
    parts += [argument for call in calls for argument in call.args]
    within = {id(inner) for part in parts for inner in ast.walk(part)}
    return {node.id for node in ast.walk(value) if isinstance(node, ast.Name) and id(node) not in within}


def _assigned(node: ast.Assign, name: str) -> int:
    """Return k for an assignment ``x = inputs[k]``, -1 for any other; `name` is the name of ``*inputs``."""
    value = node.value
    if not isinstance(value, ast.Subscript) or getattr(value.value, "id", "") != name:
        return -1
    key: Any = getattr(value.slice, "value", value.slice)
    return key if type(key) is int else -1


def _place(key: Any) -> int:
    """Return the index in a subscript of ``*inputs``; 1 for an index from the end, -1 if not a literal."""
    key = getattr(key, "value", key)
    if isinstance(key, ast.UnaryOp) and isinstance(key.op, ast.USub):
        # An index from the end means that there are at least two.
        return 1
    key = getattr(key, "value", key)
    return key if type(key) is int else -1


def _shown(target: Any, place: int) -> str:
    inner = target.value if isinstance(target, ast.Starred) else target
    return inner.id if isinstance(inner, ast.Name) else f"input {place}"


def _called(block: Any, function: Any, called: ast.expr) -> Iterator[tuple[Any, Any]]:
    """Yield the methods that a call on self, super() or a child block reaches, each with its block."""
    if not isinstance(called, ast.Attribute):
        return
    owner, name, cls = called.value, called.attr, type(block)
    if getattr(owner, "id", "") == "self":
        method = getattr(cls, name, None)
        part = getattr(block, name, None)
        if method is not None:
            yield block, method
        elif part is not None and hasattr(part, ENTRY):
            yield part, part.hybrid_forward
    elif isinstance(owner, ast.Call) and getattr(owner.func, "id", "") == "super":
        plain = getattr(function, "__func__", function)
        places = [k for k, base in enumerate(cls.__mro__) if plain in vars(base).values()]
        for base in cls.__mro__[places[0] + 1 :] if places else ():
            if name in vars(base):
                yield block, vars(base)[name]
                return
