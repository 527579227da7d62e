"""The larger and the smaller of two: Python's ``max`` and ``min`` as operators."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Branch, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.arithmetic.broadcasting import with_broadcasting
from hybridlint.fixers.evidence.sure_tensors import surely_tensor
from hybridlint.fixers.toolkit.names import named_operand, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, together
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.lookup import EXTREMES
from hybridlint.runtime.facts.records import replace as changed
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


def larger(event: Branch, functions: str, node: ast.Call) -> Fix | None:
    """Write ``max(x, y)`` of two tensors as ``F.broadcast_maximum(x, y)``, and ``max(x, 1)`` as ``F.maximum(x, 1)``."""
    frame = event.frame
    match node:
        case ast.Call(func=ast.Name(id="max" | "min" as name), args=[left, right], keywords=[]):
            pass
        case _:
            return None
    parts = [frame.concrete(part) for part in node.args]
    if surely_tensor(frame, left) and surely_tensor(frame, right):
        new = expression("{F}.{name}({parts})", F=functions, name=f"broadcast_{EXTREMES[name]}", parts=parts)
        return rewrite(frame, node, new, Applicability.UNSAFE)
    numbers = sum(isinstance(part, ast.Constant) for part in (left, right))
    used = isinstance(parent_of(frame, node), ast.BinOp) or named_operand(frame)
    if numbers != 1 or not used or not isinstance(event.value, Tensor) or event.value.type.shape != (1,):
        return None
    new = expression("{F}.{name}({parts})", F=functions, name=EXTREMES[name], parts=parts)
    if isinstance(parent_of(frame, node), ast.BinOp):
        return with_broadcasting(frame, node, new, Applicability.UNSAFE)
    fix = rewrite(frame, node, new, Applicability.UNSAFE)
    uses = [
        with_broadcasting(changed(frame, statement=statement), read, frame.concrete(read), Applicability.UNSAFE)
        for statement, read in _reads_of(frame)
    ]
    return None if fix is None else together(fix, *(use for use in uses if use is not None))


def _reads_of(frame: CodeContext) -> list[tuple[ast.stmt, ast.Name]]:
    """Return the reads of the names that the frame's statement binds, each with the statement that reads it."""
    bound = {n.id for n in walk(frame.statement or ast.Pass()) if isinstance(n, ast.Name) and not _is_load(n)}
    parts = [(s, n) for s in walk(frame.function or ast.Pass()) if isinstance(s, ast.stmt) for n in walk(s)]
    simple = (ast.Assign, ast.AugAssign, ast.Return, ast.Expr)
    return [
        (s, n) for s, n in parts if isinstance(s, simple) and isinstance(n, ast.Name) and n.id in bound and _is_load(n)
    ]


def _is_load(node: ast.Name) -> bool:
    return isinstance(node.ctx, ast.Load)
