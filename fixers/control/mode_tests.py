"""Tests of the mode of autograd and of draws, as a graph makes them: Dropout changes ones in train mode alone."""

from __future__ import annotations

import ast
from functools import reduce

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.arithmetic.python_draws import draw_of
from hybridlint.fixers.evidence.settings import is_setting, may_be_setting
from hybridlint.fixers.toolkit.imports import imported_path
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.rewriting import concrete_with
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.syntax import each

#: The question for train mode.
_ASKING = "mxnet.autograd.is_training"


def asks_for_training(frame: CodeContext, test: ast.expr) -> bool | None:
    """Return True for ``autograd.is_training()``, False for ``not autograd.is_training()``, None for other tests."""
    match test:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            asked = asks_for_training(frame, operand)
            return None if asked is None else not asked
        case ast.Call(func=function, args=[], keywords=[]):
            return True if imported_path(frame, dotted_parts(function) or ()) == _ASKING else None
    return None


def mode_in_graph(functions: str, like: cst.BaseExpression | str, *, training: bool) -> cst.BaseExpression:
    """Return a tensor that is 1 where the mode is the one asked for, and else 0, in the shape of a tensor.

    Measured: ``F.Dropout`` with a rate of a half gives 0 or 2 for 1 in train mode, and 1 in predict mode.
    """
    template = "{F}.Dropout({F}.ones_like({like}), p=0.5) " + ("!= 1" if training else "== 1")
    return expression(template, F=functions, like=like)


def spread_test(functions: str, like: cst.BaseExpression | str, test: cst.BaseExpression) -> cst.BaseExpression:
    """Return a test of one element in the shape of a tensor, which F.where demands."""
    return expression("{F}.broadcast_mul({F}.ones_like({like}), {test})", F=functions, like=like, test=test)


def joint_test(
    frame: CodeContext, functions: str, test: ast.expr, like: cst.BaseExpression | str
) -> cst.BaseExpression | None:
    """Return a test of the mode, or one that joins tests of it, of draws and of settings, in the shape of a tensor.

    None for other tests, such as one of data.
    """
    training = asks_for_training(frame, test)
    if training is not None:
        return mode_in_graph(functions, like, training=training)
    if not isinstance(test, ast.BoolOp):
        return None
    parts = [joint_test(frame, functions, part, like) or _part(frame, functions, part, like) for part in test.values]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    name = "broadcast_logical_and" if isinstance(test.op, ast.And) else "broadcast_logical_or"
    return reduce(
        lambda one, other: expression("{F}.{name}({parts})", F=functions, name=name, parts=[one, other]), known
    )


def _part(
    frame: CodeContext, functions: str, test: ast.expr, like: cst.BaseExpression | str
) -> cst.BaseExpression | None:
    """Return a comparison of a draw, or a test of settings, in the shape of a tensor; None for other tests."""
    draws = {node: draw_of(frame, node) for node in each(test, ast.Call)}
    new: dict[ast.expr, cst.BaseExpression] = {
        node: draw.written(frame) for node, draw in draws.items() if draw is not None and draw.shape is None
    }
    if not draws and is_setting(frame, test):
        return expression("{F}.ones_like({like}) * {test}", F=functions, like=like, test=frame.concrete(test))
    match test:
        case ast.Compare(left=left, ops=[_], comparators=[right]) if len(new) == 1:
            beside = right if left in new else left if right in new else None
        case _:
            beside = None
    if beside is None or not may_be_setting(frame, beside):
        return None
    compared = concrete_with(frame, test, new)
    return spread_test(functions, like, compared)
