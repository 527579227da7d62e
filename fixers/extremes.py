"""The larger and the smaller of two: Python's ``max`` and ``min`` as operators."""

from __future__ import annotations

import ast
from dataclasses import replace as changed

from hybridlint.analysis.events import Branch, Frame
from hybridlint.analysis.values import Tensor
from hybridlint.edits import Applicability, Fix
from hybridlint.fixers.arithmetic import surely_tensor
from hybridlint.fixers.broadcasting import with_broadcasting
from hybridlint.fixers.names import named_operand, parent_of
from hybridlint.fixers.text import argument, replace
from hybridlint.syntax import walk


def larger(event: Branch, functions: str, node: ast.Call) -> Fix | None:
    """Write ``max(x, y)`` of two tensors as ``F.broadcast_maximum(x, y)``, and ``max(x, 1)`` as ``F.maximum(x, 1)``."""
    frame = event.frame
    match node:
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[left, right], keywords=[]):
            pass
        case _:
            return None
    parts = ", ".join(argument(frame, part) for part in node.args)
    if surely_tensor(frame, left) and surely_tensor(frame, right):
        return replace(frame, node, f"{functions}.broadcast_{name}imum({parts})", Applicability.UNSAFE, kept=node.args)
    numbers = sum(isinstance(part, ast.Constant) for part in (left, right))
    used = isinstance(parent_of(frame, node), ast.BinOp) or named_operand(frame)
    if numbers != 1 or not used or not isinstance(event.value, Tensor) or event.value.type.shape != (1,):
        return None
    fix = replace(frame, node, f"{functions}.{name}imum({parts})", Applicability.UNSAFE, kept=node.args)
    if fix is None or isinstance(parent_of(frame, node), ast.BinOp):
        return None if fix is None else with_broadcasting(frame, node, fix)
    for statement, read in _reads_of(frame):
        fix = with_broadcasting(changed(frame, statement=statement), read, fix)
    return fix


def _reads_of(frame: Frame) -> list[tuple[ast.stmt, ast.Name]]:
    """Return where the name is read that the statement of the frame binds."""
    bound = {n.id for n in walk(frame.statement or ast.Pass()) if isinstance(n, ast.Name) and not _is_load(n)}
    parts = [(s, n) for s in walk(frame.function or ast.Pass()) if isinstance(s, ast.stmt) for n in walk(s)]
    simple = (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)
    return [
        (s, n) for s, n in parts if isinstance(s, simple) and isinstance(n, ast.Name) and n.id in bound and _is_load(n)
    ]


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
