"""The registry of evaluators for code that runs when a module is imported, by kind of syntax node.

The evaluators are parts of the interpreter, on which this package must not depend.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from hybridlint.analysis.model.values import ProjectModule, Unknown, Value

_AtImport: TypeAlias = Callable[[Any, Any], Value]
M = TypeVar("M", bound=_AtImport)

_at_import: dict[type, _AtImport] = {}


def runs_at_import(kind: type[ast.AST]) -> Callable[[M], M]:
    """Return a decorator that registers a function as the evaluator of this kind of node in global code."""

    def register(handler: M) -> M:
        _at_import[kind] = handler
        return handler

    return register


def at_import(module: ProjectModule, node: ast.AST) -> Value:
    """Return the value of a global expression at import time; Unknown for kinds without a handler."""
    handler = _at_import.get(type(node))
    return Unknown() if handler is None else handler(module, node)
