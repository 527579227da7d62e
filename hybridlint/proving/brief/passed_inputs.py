"""Calls in a function that get its arguments unchanged, and the paths of what they call."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from hybridlint.proving.child.brief.inputs import NAME, OWN, SUPER, Callee, PassedInputs

#: A function of any kind.
Code: TypeAlias = "ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda"

_ITERATORS = ("enumerate", "reversed", "zip", "list")
#: Ending of the name that an argument has once it was assigned another value.
_LATER = "'"


def with_later_names(function: ast.AST) -> ast.AST:
    """Return a function in which an argument has another name once it was assigned another value.

    So its name stands for the input.
    """
    arguments = {node.arg for node in ast.walk(function) if isinstance(node, ast.arg)}
    until: dict[str, tuple[int, int]] = {}
    for names, place in _assigned(function):
        for name in names & arguments:
            until[name] = min(until.get(name, place), place)
    if not until:
        return function
    tree = copy.deepcopy(function)
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
        if isinstance(node, ast.Assign | ast.AugAssign | ast.AnnAssign):
            yield _stored(node.targets if isinstance(node, ast.Assign) else [node.target]), _end(node)
        elif isinstance(node, ast.For):
            yield _stored([node.target]), _end(node.target)
        yield from _assigned(node)


def _stored(targets: Sequence[ast.expr]) -> set[str]:
    parts = (part for target in targets for part in ast.walk(target))
    return {part.id for part in parts if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}


def _end(node: ast.expr | ast.stmt) -> tuple[int, int]:
    return node.end_lineno or 0, node.end_col_offset or 0


def passed_inputs(nodes: list[ast.AST]) -> Iterator[PassedInputs]:
    """Yield the calls that get names as arguments, but for those with a star."""
    for call in (node for node in nodes if isinstance(node, ast.Call)):
        given = tuple(getattr(argument, "id", "") for argument in call.args)
        named = {keyword.arg: getattr(keyword.value, "id", "") for keyword in call.keywords if keyword.arg}
        starred = any(isinstance(argument, ast.Starred) for argument in call.args)
        callee = None if starred or not any((*given, *named.values())) else callee_of(call.func)
        if callee is not None:
            yield PassedInputs(callee, given, named)


def callee_of(called: ast.expr) -> Callee | None:
    """Return the function of a call, None for an expression that no path leads to."""
    if isinstance(called, ast.Name):
        return Callee(NAME, called.id)
    if isinstance(called, ast.Attribute) and isinstance(called.value, ast.Call):
        return Callee(SUPER, called.attr) if getattr(called.value.func, "id", "") == "super" else None
    path = _path(called)
    return Callee(OWN, path=path) if path else None


def loops(nodes: list[ast.AST]) -> Iterator[tuple[str, tuple[str | int, ...]]]:
    """Yield the variable of each loop with the path of what it goes through, also within `zip` and `enumerate`."""
    for node in nodes:
        if isinstance(node, ast.For | ast.comprehension):
            for target, source in _pairs(node.target, node.iter):
                path = _path(source)
                if isinstance(target, ast.Name) and path:
                    yield target.id, path


def _path(node: ast.AST) -> tuple[str | int, ...]:
    """Return the attributes of self and the literal indices that an expression consists of, none for any other."""
    path: list[str | int] = []
    while isinstance(node, ast.Attribute | ast.Subscript):
        if isinstance(node, ast.Attribute):
            path.insert(0, node.attr)
        else:
            key = node.slice.value if isinstance(node.slice, ast.Constant) else None
            if type(key) is not int:
                return ()
            path.insert(0, key)
        node = node.value
    own = isinstance(node, ast.Name) and node.id == "self" and bool(path) and isinstance(path[0], str)
    return tuple(path) if own else ()


def _pairs(target: ast.expr, source: ast.expr) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield (loop target, what it goes through) for a loop, also within `zip` and `enumerate`."""
    called = source.func.id if isinstance(source, ast.Call) and isinstance(source.func, ast.Name) else ""
    if not isinstance(source, ast.Call) or called not in _ITERATORS or not source.args:
        yield target, source
        return
    targets = target.elts if isinstance(target, ast.Tuple | ast.List) else [target]
    if called == "enumerate":
        yield from _pairs(targets[-1], source.args[0])
    elif called == "zip":
        for one, inner in zip(targets, source.args, strict=False):
            yield from _pairs(one, inner)
    else:
        yield from _pairs(target, source.args[0])
