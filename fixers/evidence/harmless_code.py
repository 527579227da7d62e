"""Expressions without side effects, which can be left out or evaluated in some runs only."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.tables import CHANGING_ARRAYS
from hybridlint.analysis.model.values import (
    DataDependentValue,
    External,
    Function,
    Namespace,
    NumpyArray,
    OperatorRef,
    Outputs,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.text.syntax import walk

#: Methods of built-in values that change nothing.
_READING = frozenset({*dir(str), *dir(float), "get", "keys", "values", "items", "index", "count", "copy"})
#: Methods of arrays that change them, or their record in autograd.
_CHANGING = frozenset({"backward", "attach_grad", "copyto", "wait_to_read"})
#: Methods of numpy's arrays that write files.
_WRITING = frozenset({"dump", "tofile"})
#: Functions with side effects.
_DOING = frozenset({"builtins.next", "builtins.setattr", "builtins.delattr", "builtins.exec", "builtins.eval"})
#: Modules whose other functions only return a value, or write to the terminal.
_PURE_PACKAGES = ("builtins", "math", "numpy", "operator", "logging", "warnings")


def is_harmless(frame: CodeContext, nodes: Iterable[ast.AST]) -> bool:
    """Whether evaluating the nodes changes nothing that other code reads."""
    parts = [part for node in nodes for part in walk(node)]
    if any(isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in parts):
        return False
    return all(_only_returns(frame, n) for n in parts if isinstance(n, ast.Call))


def _only_returns(frame: CodeContext, call: ast.Call) -> bool:
    """Whether a call only returns a value, and changes nothing."""
    if any(keyword.arg == "out" for keyword in call.keywords):
        return False
    if isinstance(call.func, ast.Attribute):
        held = frame.seen.value(call.func.value)
        if isinstance(held, Namespace):
            return True
        if isinstance(held, Tensor | Outputs):
            return call.func.attr not in _CHANGING
        if isinstance(held, NumpyArray | DataDependentValue):
            return call.func.attr not in CHANGING_ARRAYS | _WRITING
        if isinstance(call.func.value, ast.Constant | ast.JoinedStr) or isinstance(held, StaticValue):
            return call.func.attr in _READING
    return _is_pure(frame, frame.seen.value(call.func))


def _is_pure(frame: CodeContext, callee: Value) -> bool:
    match callee:
        case OperatorRef():
            return True
        case External(name=name):
            return name not in _DOING and name.partition(".")[0] in _PURE_PACKAGES
        case Function(node=node):
            body = node.body if isinstance(node.body, list) else [node.body]
            return not any(_stores(n) for part in body for n in walk(part)) and is_harmless(frame, body)
    return False


def _stores(node: ast.AST) -> bool:
    """Whether a node changes something that outlives the call of its function."""
    kept = isinstance(node, ast.Attribute | ast.Subscript) and not isinstance(node.ctx, ast.Load)
    return kept or isinstance(node, ast.Global | ast.Nonlocal | ast.Delete)
