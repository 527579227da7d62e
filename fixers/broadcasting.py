"""Operators around an expression whose shape changes: written so that they broadcast in both modes."""

from __future__ import annotations

import ast
from collections import defaultdict
from dataclasses import replace

from hybridlint.analysis.events import Frame
from hybridlint.edits import Applicability, Edit, Fix
from hybridlint.fixers.arithmetic import SYMBOLS, surely_tensor
from hybridlint.fixers.names import LIST_METHODS, dotted, parent_of
from hybridlint.fixers.proofs import may_be_first_number, proved_tensor
from hybridlint.runtime import lookup
from hybridlint.source import Span
from hybridlint.syntax import walk

_COMPARISONS: dict[type[ast.cmpop], str] = {
    ast.Eq: "==",
    ast.NotEq: "!=",
    ast.Lt: "<",
    ast.LtE: "<=",
    ast.Gt: ">",
    ast.GtE: ">=",
}


def with_broadcasting(frame: Frame, node: ast.expr, fix: Fix) -> Fix:
    """Add to a fix of `node` that the operators around it broadcast.

    An array broadcasts under every operator; once the node is right when hybridized, its operators must do so too.
    Where the other operand may be a number, nothing is added and the fix is unsafe.
    """
    inserted: defaultdict[int, list[str]] = defaultdict(list)
    edits = list(fix.edits)
    applicability = fix.applicability
    for operator in _operators(frame, node):
        left, symbol, right = _parts(operator)
        other = right if _contains(left, node) else left
        if isinstance(other, ast.Constant):
            continue
        between = Span(frame.source.span(left).end, frame.source.span(right).start)
        text = frame.source.text[between.start : between.end]
        if symbol is None or "#" in text or not surely_tensor(frame, other):
            applicability = Applicability.UNSAFE
            break
        if not proved_tensor(frame, other) or may_be_first_number(frame, other):
            applicability = Applicability.UNSAFE
        before = text[: text.index(symbol)]
        edits.append(Edit(Span(between.start + len(before.rstrip()), between.start + len(before) + len(symbol)), ","))
        span = frame.source.span(operator)
        inserted[span.start].insert(0, f"{frame.functions}.{lookup.broadcasting(symbol)}(")
        inserted[span.end].append(")")
    edits += [Edit(Span(at, at), "".join(parts)) for at, parts in inserted.items()]
    return replace(fix, edits=tuple(edits), applicability=applicability)


def used_as_tensor(frame: Frame, name: str) -> bool:
    """Whether the function uses a name as only a tensor can be used: in arithmetic, by a method, by F."""
    if frame.function is None:
        return False
    return any(_uses_as_tensor(frame, node, name) for node in walk(frame.function))


def _uses_as_tensor(frame: Frame, node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=receiver), attr=method)) if receiver == name:
            return method not in LIST_METHODS
        case ast.Call(func=func, args=[ast.Name(id=first), *_]) if first == name:
            path = dotted(func)
            return (
                path is not None and path[0] == frame.functions and path[-1] not in {"foreach", "while_loop", "add_n"}
            )
        case ast.BinOp(left=left, right=right, op=op):
            operands = [part.id for part in (left, right) if isinstance(part, ast.Name)]
            return name in operands and not isinstance(op, ast.Add | ast.Mult)
    return False


def _operators(frame: Frame, node: ast.expr) -> list[ast.BinOp | ast.Compare]:
    """Return the operators whose operand the node is, or is computed into by methods and functions, innermost first."""
    found: list[ast.BinOp | ast.Compare] = []
    inner: ast.AST = node
    parent = parent_of(frame, inner)
    while isinstance(parent, ast.Attribute | ast.Call | ast.BinOp | ast.UnaryOp | ast.Compare):
        if isinstance(parent, ast.BinOp | ast.Compare):
            found.append(parent)
        inner, parent = parent, parent_of(frame, parent)
    return found


def _parts(operator: ast.BinOp | ast.Compare) -> tuple[ast.expr, str | None, ast.expr]:
    """Return the operands of an operator and how it is written, None where no function of F does the same."""
    if isinstance(operator, ast.BinOp):
        return operator.left, SYMBOLS.get(type(operator.op)), operator.right
    symbol = _COMPARISONS.get(type(operator.ops[0])) if len(operator.ops) == 1 else None
    return operator.left, symbol, operator.comparators[-1]


def _contains(outer: ast.AST, node: ast.AST) -> bool:
    return any(part is node for part in walk(outer))
