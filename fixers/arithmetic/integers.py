"""Fixers of integer tensors beside a number in numpy mode, where the array and its Symbol have different dtypes."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Binary, Negation
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Applicability, Fix


def number_last(event: Binary) -> Fix | None:
    """Write ``2 * x`` as ``x * 2``: in numpy mode both give the same array, but not the same Symbol."""
    node, frame = event.node, event.frame
    if event.symbol != "*" or not isinstance(node, ast.BinOp) or not isinstance(event.left, StaticValue):
        return None
    if not isinstance(event.left.value, int):
        return None
    new = expression("{tensor} * {number}", tensor=frame.concrete(node.right), number=frame.concrete(node.left))
    return rewrite(frame, node, new, Applicability.SAFE)


def negate_tensor(event: Negation) -> Fix | None:
    """Write ``-x`` as ``F.np.negative(x)``; None for a boolean tensor, for which ``negative`` raises."""
    node, functions = event.node, event.frame.functions
    boolean = isinstance(event.value, Tensor) and event.value.type.dtype == "bool"
    if functions is None or boolean or not isinstance(node, ast.UnaryOp):
        return None
    new = expression("{F}.np.negative({x})", F=functions, x=event.frame.concrete(node.operand))
    return rewrite(event.frame, node, new, Applicability.SAFE)
