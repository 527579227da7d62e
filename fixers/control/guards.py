"""Fixers of statements that only inspect arrays: they run only eagerly, under ``if F is mx.nd:`` and the like."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.harmless_code import is_harmless
from hybridlint.fixers.evidence.tensors import proved_tensor
from hybridlint.fixers.toolkit.imports import ndarray_module
from hybridlint.fixers.toolkit.names import block_around, dotted_parts
from hybridlint.fixers.toolkit.statements import lines_of, replace_statements
from hybridlint.fixers.toolkit.templates import statements
from hybridlint.text.concrete import statements_at
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk

_LOGGING = frozenset({"debug", "info", "warning", "warn", "log"})


def eager_only(frame: CodeContext) -> Fix | None:
    """Put an assertion, a check or logging of arrays under ``if F is mx.nd:``.

    Functions without F ask whether a tensor of the statement is an array, ``if isinstance(x, mx.nd.NDArray):``. The
    eager run stays as it was. Safe: hybridized, the statement could only raise.
    """
    statement = frame.statement
    if statement is None:
        return None
    if is_check(frame, statement) or _logs(frame, statement):
        return _guarded(frame, [statement])
    watched = _watched(frame, statement)
    return _guarded(frame, watched) if watched else None


def is_check(frame: CodeContext, statement: ast.stmt) -> bool:
    """Whether a statement is an assertion, or an ``if`` that only raises, and its test changes nothing."""
    match statement:
        case ast.Assert(test=test) | ast.If(test=test, body=[ast.Raise()], orelse=[]):
            return is_harmless(frame, [test])
    return False


def _watched(frame: CodeContext, statement: ast.stmt) -> list[ast.stmt]:
    """Return an assignment and the statements after it that check or log its value; none if other code reads it."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if is_harmless(frame, [value]):
            pass
        case _:
            return []
    block = block_around(frame, statement)
    if block is None or frame.function is None:
        return []
    watched: list[ast.stmt] = [statement]
    for following in block[block.index(statement) + 1 :]:
        if not is_check(frame, following) and not _logs(frame, following):
            break
        watched.append(following)
    inside = {id(node) for part in watched for node in walk(part)}
    uses = [n for n in walk(frame.function) if isinstance(n, ast.Name) and n.id == name]
    while len(watched) > 1 and not any(n.id == name for n in walk(watched[-1]) if isinstance(n, ast.Name)):
        watched.pop()
    return watched if len(watched) > 1 and all(id(use) in inside for use in uses) else []


def _logs(frame: CodeContext, statement: ast.stmt) -> bool:
    """Whether a statement writes to the terminal, to a log, or to a list that nothing in the file reads."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"), args=args)):
            return is_harmless(frame, args)
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=kept, attr="append"), args=args)):
            return is_harmless(frame, args) and not _is_read(frame, kept)
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr=method) as function, args=args)):
            return method in _LOGGING and dotted_parts(function) is not None and is_harmless(frame, args)
    return False


def _is_read(frame: CodeContext, kept: ast.expr) -> bool:
    """Whether the file does anything with a container but append to it; True for containers that are no attributes."""
    if not isinstance(kept, ast.Attribute):
        return True
    nodes = list(walk(frame.source.tree))
    appended = {id(n.value) for n in nodes if isinstance(n, ast.Attribute) and n.attr == "append"}
    uses = (n for n in nodes if isinstance(n, ast.Attribute) and n.attr == kept.attr)
    return any(isinstance(n.ctx, ast.Load) and id(n) not in appended for n in uses)


def _guarded(frame: CodeContext, nodes: Sequence[ast.stmt]) -> Fix | None:
    """Indent statements under ``if F is mx.nd:``. None if they share a line with other code."""
    found = ndarray_module(frame)
    if found is None or lines_of(frame, nodes) is None:
        return None
    module, imports = found
    body = statements_at(frame.source, nodes)
    if frame.functions is not None:
        test = f"{frame.functions} is {module}"
        new = statements("if {F} is {module}:\n    {body}", F=frame.functions, module=module, body=body)
    else:
        name = _tensor_in(frame, nodes[0])
        if name is None:
            return None
        test = f"isinstance({name}, {module}.NDArray)"
        new = statements("if isinstance({x}, {module}.NDArray):\n    {body}", x=name, module=module, body=body)
    message = f"Do it only when running eagerly, under `if {test}`"
    # One edit for all lines: no other fix may change one of them at the same time.
    return replace_statements(frame, nodes, new, Applicability.SAFE, message=message, imports=imports)


def _tensor_in(frame: CodeContext, statement: ast.stmt) -> str | None:
    """Return the first name in a statement that holds a tensor in each call; None if there is none."""
    names = (n for n in walk(statement) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load))
    return next((n.id for n in names if proved_tensor(frame, n)), None)
