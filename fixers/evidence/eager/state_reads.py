"""Whether each call of a function computes something with what a block keeps."""

from __future__ import annotations

import ast

from hybridlint.fixers.evidence.unconditional_code import always_runs
from hybridlint.text.syntax import walk


def reads_state(function: ast.FunctionDef, target: str, *, but: ast.AST | None = None) -> bool:
    """Return whether each call of a function computes something with state, such as `self.count`.

    What a statement `but` reads does not count.
    """
    left_out = set() if but is None else {id(node) for node in walk(but)}
    return any(
        isinstance(node, ast.expr)
        and id(node) not in left_out
        and isinstance(getattr(node, "ctx", None), ast.Load)
        and ast.unparse(node) == target
        and always_runs(function, node)
        and _matters(function, node)
        for node in walk(function)
        if isinstance(node, ast.Attribute | ast.Name)
    )


def _matters(function: ast.FunctionDef, read: ast.expr) -> bool:
    """Return whether the statement that reads an expression binds a name or returns, perhaps in a branch."""
    around = [n for n in walk(function) if isinstance(n, ast.stmt) and any(part is read for part in walk(n))]
    innermost = around[-1]
    return any(_binds(part) for part in walk(innermost))


def _binds(node: ast.AST) -> bool:
    match node:
        case ast.Return() | ast.For():
            return True
        case ast.Assign(targets=[target, *_]) | ast.AugAssign(target=target):
            return not isinstance(target, ast.Attribute | ast.Subscript)
    return False
