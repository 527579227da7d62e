"""Tests of the mode of autograd, as a graph asks them: Dropout changes ones in train mode alone."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.toolkit.imports import imported_path
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst

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
