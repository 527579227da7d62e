"""Code that the settings of a block lead to only where somebody changes a default, which nobody in the file does."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.text.syntax import each, walk

if TYPE_CHECKING:
    from hybridlint.analysis.model.values import ProjectClass


def is_switched_off(info: ProjectClass, function: ast.AST, statement: ast.stmt) -> bool:
    """Return whether a statement of a method runs only for another value of a setting than its default."""
    return any(
        _is_off(info, test, holds=holds) for test, holds in _conditions(getattr(function, "body", ()), statement)
    )


def _conditions(body: Sequence[ast.stmt], statement: ast.stmt) -> Iterator[tuple[ast.expr, bool]]:
    """Yield the tests around a statement and those before it that end the function, each with what it has to be."""
    for at, one in enumerate(body):
        if one is not statement and not any(part is statement for part in walk(one)):
            continue
        yield from ((n.test, False) for n in body[:at] if isinstance(n, ast.If) and _ends(n.body) and not n.orelse)
        if isinstance(one, ast.If):
            within = statement in one.body or any(part is statement for n in one.body for part in walk(n))
            yield one.test, within
            yield from _conditions(one.body if within else one.orelse, statement)
        elif isinstance(one, ast.With | ast.For | ast.While | ast.Try):
            yield from _conditions(one.body, statement)


def _ends(body: Sequence[ast.stmt]) -> bool:
    return isinstance(body[-1], ast.Return | ast.Raise)


def _is_off(info: ProjectClass, test: ast.expr, *, holds: bool) -> bool:
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=inner):
            return _is_off(info, inner, holds=not holds)
        case ast.BoolOp(op=op, values=parts):
            return isinstance(op, ast.And) == holds and any(_is_off(info, part, holds=holds) for part in parts)
        case ast.Attribute(value=ast.Name(id="self"), attr=name):
            default = _default(info, name)
            return default is not None and bool(default.value) is not holds
        case ast.Compare(
            left=ast.Attribute(value=ast.Name(id="self"), attr=name),
            ops=[ast.Eq() | ast.NotEq() | ast.Is() | ast.IsNot() as op],
            comparators=[ast.Constant(value=value)],
        ):
            default = _default(info, name)
            same = isinstance(op, ast.Eq | ast.Is)
            return default is not None and ((default.value == value) is same) is not holds
        case _:
            return False


def _default(info: ProjectClass, name: str) -> ast.Constant | None:
    """Return what a setting is unless somebody passes an argument, which nobody in the file does; None for others."""
    init = info.methods.get("__init__")
    if init is None or _stores(info, name) != 1:
        return None
    for node in each(init, ast.Assign):
        match node:
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id="self"), attr=stored)], value=value):
                if stored == name:
                    return _default_of(info, init, value)
    return None


def _stores(info: ProjectClass, name: str) -> int:
    """Return the number of places that bind an attribute of the class, or one of that name of an unknown object."""
    named = (node for node in each(info.module.source.tree, ast.Attribute) if node.attr == name)
    inside = {id(node) for one in info.lineage for node in walk(one.node)}
    stored = [node for node in named if isinstance(node.ctx, ast.Store)]
    return sum(id(n) in inside or not isinstance(n.value, ast.Name) or n.value.id != "self" for n in stored)


def _default_of(info: ProjectClass, init: ast.FunctionDef, value: ast.expr) -> ast.Constant | None:
    match value:
        case ast.Name(id=argument) | ast.Call(func=ast.Name(id="bool"), args=[ast.Name(id=argument)]):
            pass
        case _:
            return None
    spec = init.args
    positional = [*spec.posonlyargs, *spec.args]
    pairs = [*zip(reversed(positional), reversed(spec.defaults), strict=False)]
    pairs += [(one, default) for one, default in zip(spec.kwonlyargs, spec.kw_defaults, strict=True) if default]
    default = next((given for one, given in pairs if one.arg == argument), None)
    if not isinstance(default, ast.Constant):
        return None
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
