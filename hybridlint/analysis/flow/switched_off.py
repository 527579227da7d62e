"""Code that the settings of a block lead to only where somebody changes a default, which nobody in the file does."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hybridlint.text.parameters import defaults_of
from hybridlint.text.syntax import each, is_own, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass


def is_switched_off(info: ProjectClass, function: ast.AST, statement: ast.stmt) -> bool:
    """Return whether a statement of a method runs only for another value of a setting than its default."""
    return is_off(function, statement, lambda name: _default(info, name))


def is_off(function: ast.AST, node: ast.AST, setting: Callable[[str], ast.Constant | None]) -> bool:
    """Return whether a method never gets to a statement, or to a part of one, given the settings on self by name."""
    body = getattr(function, "body", ())
    return any(_is_off(test, setting, holds=holds) for test, holds in _conditions(body, node))


def depends_on_settings(function: ast.AST, node: ast.AST) -> bool:
    """Return whether attributes of self decide whether a method gets to a part of it."""
    tests = (test for test, _ in _conditions(getattr(function, "body", ()), node))
    return any(is_own(part) for test in tests for part in walk(test))


def _conditions(body: Sequence[ast.stmt], node: ast.AST) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the tests around a node and those before it that end the function, each with what it has to be."""
    for at, one in enumerate(body):
        if not _holds(one, node):
            continue
        yield from ((n.test, False) for n in body[:at] if isinstance(n, ast.If) and _ends(n.body) and not n.orelse)
        if isinstance(one, ast.If) and not _holds(one.test, node):
            within = any(_holds(part, node) for part in one.body)
            yield one.test, within
            yield from _conditions(one.body if within else one.orelse, node)
        elif isinstance(one, ast.With | ast.For | ast.While | ast.Try):
            yield from _conditions(one.body, node)
        for choice in each(one, ast.IfExp) if not isinstance(node, ast.stmt) else ():
            yield from (
                (choice.test, side is choice.body) for side in (choice.body, choice.orelse) if _holds(side, node)
            )


def _holds(outer: ast.AST, node: ast.AST) -> bool:
    return any(part is node for part in walk(outer))


def _ends(body: Sequence[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Raise)


def _is_off(test: ast.expr, setting: Callable[[str], ast.Constant | None], *, holds: bool) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_off(inner, setting, holds=not holds)
        case ast.BoolOp(op=op, values=parts):
            return isinstance(op, ast.And) == holds and any(_is_off(part, setting, holds=holds) for part in parts)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            known = setting(name)
            return known is not None and bool(known.value) is not holds
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id="self"), attr=name),
            ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() as op],
            comparators=[ast.Constant(value=value)],
        ):
            known = setting(name)
            same = isinstance(op, ast.Eq | ast.Is)
            return known is not None and ((known.value == value) is same) is not holds
        case _:
            return False


def _default(info: ProjectClass, name: str) -> ast.Constant | None:
    """Return what a setting is unless somebody passes an argument, which nobody in the file does; None for others."""
    init = info.methods.get("__init__")
    argument = None if init is None else kept_argument(info, init, name)
    return None if init is None or argument is None else _default_of(info, init, argument)


def kept_argument(info: ProjectClass, init: ast.FunctionDef, name: str) -> str | None:
    """Return the argument of ``__init__`` that an attribute of self keeps, if nothing else sets it; None otherwise."""
    if _stores(info, name) != 1:
        return None
    for node in each(init, ast.Assign):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=ast.Name(id="self"), attr=stored)],
                value=ast.Name(id=argument) | ast.Call(func=ast.Name(id="bool"), args=[ast.Name(id=argument)]),
            ) if stored == name:
                return argument
            case _:
                pass
    return None


def constant_defaults(init: ast.FunctionDef) -> Mapping[str, ast.Constant]:
    """Return the arguments of a function whose defaults are constants, with these."""
    found = defaults_of(init.args)
    return {name: default for name, default in found.items() if isinstance(default, ast.Constant)}


def _stores(info: ProjectClass, name: str) -> int:
    """Return the number of places that bind an attribute of the class, or one of that name of an unknown object."""
    named = (node for node in each(info.module.source.tree, ast.Attribute) if node.attr == name)
    inside = {id(node) for one in info.lineage for node in walk(one.node)}
    stored = [node for node in named if isinstance(node.ctx, ast.Store)]
    return sum(id(n) in inside or not isinstance(n.value, ast.Name) or n.value.id != "self" for n in stored)


def _default_of(info: ProjectClass, init: ast.FunctionDef, argument: str) -> ast.Constant | None:
    default = constant_defaults(init).get(argument)
    if default is None:
        return None
    positional = [*init.args.posonlyargs, *init.args.args]
    at = next((at for at, one in enumerate(positional[1:]) if one.arg == argument), None)
    return None if _is_given(info, argument, at, default) else default


def _is_given(info: ProjectClass, argument: str, at: int | None, default: ast.Constant) -> bool:
    """Return whether a call of the file may give an argument another value: by its name, or by its place."""
    for call in each(info.module.source.tree, ast.Call):
        for keyword in call.keywords:
            # What is handed on under its own name, whoever gives it first names it too.
            if keyword.arg == argument and not _keeps(keyword.value, argument, default):
                return True
        called = getattr(call.func, "id", None) or getattr(call.func, "attr", None)
        several = at is not None and len(call.args) > at
        if called == info.node.name and (several or any(isinstance(one, ast.Starred) for one in call.args)):
            return True
    return False


def _keeps(value: ast.expr, argument: str, default: ast.Constant) -> bool:
    match value:
        case ast.Constant(value=known):
            return bool(known == default.value)
        case _:
            return isinstance(value, ast.Name) and value.id == argument
