"""Scopes that decorate functions: each call runs in the scope, as if a ``with`` enclosed the body.

``contextlib.contextmanager`` makes generators whose scopes are decorators too, and so do classes that inherit from
``ContextDecorator``.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import ClassRef, External, Function, ProjectClass, ScopeMaker, SelfRef, Value
from hybridlint.analysis.project.program import ProjectFile

if TYPE_CHECKING:
    from hybridlint.analysis.run.activation import Activation

_GENERATORS = External("contextlib.contextmanager")
_DECORATING = "contextlib.ContextDecorator"


def around_body(act: Activation, node: ast.FunctionDef) -> Sequence[ast.stmt]:
    """Return the statements that a call of a function runs: its body, in the scopes that decorate it."""
    scopes = tuple(_scopes(act, node))
    return (_around(node, scopes),) if scopes else node.body


def is_decorator(function: ast.AST | None, scope: ast.expr) -> bool:
    """Return whether a scope is a decorator of the function around it, not the subject of a ``with``."""
    return isinstance(function, ast.FunctionDef) and scope in function.decorator_list


def _scopes(act: Activation, node: ast.FunctionDef) -> Iterator[ast.expr]:
    """Yield the decorators of a function that are scopes, outermost first."""
    for decorator in node.decorator_list:
        called = isinstance(decorator, ast.Call)
        place = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(place, ast.Name | ast.Attribute):
            found = act.module.expression(place)
            if _makes_scopes(found) if called else isinstance(found, SelfRef) and _decorates(found.instance.info):
                yield decorator


def _makes_scopes(found: Value) -> bool:
    """Return whether the calls of a function or class give scopes that decorate."""
    match found:
        case ScopeMaker():
            return True
        case Function(node=ast.FunctionDef(decorator_list=decorators), closure=ProjectFile() as module):
            return any(module.expression(one) == _GENERATORS for one in decorators)
        case ClassRef(info=info):
            return _decorates(info)
        case _:
            return False


def _decorates(info: ProjectClass) -> bool:
    return _DECORATING in info.foreign_bases and info.method("__call__") is None


@lru_cache(maxsize=64)
def _around(node: ast.FunctionDef, scopes: tuple[ast.expr, ...]) -> ast.With:
    return ast.copy_location(ast.With([ast.withitem(scope) for scope in scopes], node.body), scopes[0])
