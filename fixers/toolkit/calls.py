"""Calls: their arguments as concrete nodes, and calls with one argument more or less."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from hybridlint import cst
from hybridlint.analysis.events import Frame
from hybridlint.concrete import argument_at, expression_at


def ordered(call: ast.Call) -> Sequence[ast.expr | ast.keyword]:
    """Return the arguments of a call in the order in which they stand."""
    parts: list[ast.expr | ast.keyword] = [*call.args, *call.keywords]
    return sorted(parts, key=lambda part: (part.lineno, part.col_offset))


def arguments(frame: Frame, call: ast.Call, but: ast.AST | None = None) -> list[cst.Arg]:
    """Return the arguments of a call, one of them left out, to be put into another call."""
    return [argument_at(frame.source, part) for part in ordered(call) if part is not but]


def without_argument(frame: Frame, call: ast.Call, part: ast.expr | ast.keyword) -> cst.Call:
    """Return a call without one of its arguments, and all others as they are written."""
    whole = _concrete(frame, call)
    at = ordered(call).index(part)
    left = [argument for index, argument in enumerate(whole.args) if index != at]
    if left and at == len(left):
        # What followed the last argument follows the one that is the last one now.
        last = left[-1].with_changes(
            comma=whole.args[at].comma, whitespace_after_arg=whole.args[at].whitespace_after_arg
        )
        left[-1] = last
    return whole.with_changes(args=left)


def with_argument(frame: Frame, call: ast.Call, new: cst.Arg) -> cst.Call:
    """Return a call with another argument at its end, and all others as they are written."""
    whole = _concrete(frame, call)
    if not whole.args:
        return whole.with_changes(args=[new])
    last = whole.args[-1]
    ended = last.with_changes(comma=cst.MaybeSentinel.DEFAULT, whitespace_after_arg=cst.SimpleWhitespace(""))
    new = new.with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    if isinstance(last.comma, cst.Comma):
        ended = ended.with_changes(comma=last.comma)
    return whole.with_changes(args=[*whole.args[:-1], ended, new])


def _concrete(frame: Frame, call: ast.Call) -> cst.Call:
    whole = expression_at(frame.source, call, bare=True)
    assert isinstance(whole, cst.Call)
    return whole
