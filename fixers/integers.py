"""Integers beside a number in numpy mode, where the array and its Symbol have different dtypes."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import Binary, Negation
from hybridlint.analysis.values import Static, Tensor
from hybridlint.edits import Fix
from hybridlint.fixers.text import argument, factor, replace, safe_if


def number_last(event: Binary) -> Fix | None:
    """Write ``2 * x`` as ``x * 2``, which is the same array and another Symbol in numpy mode."""
    node, frame = event.node, event.frame
    if event.symbol != "*" or not isinstance(node, ast.BinOp) or not isinstance(event.left, Static):
        return None
    if not isinstance(event.left.value, int):
        return None
    content = f"{factor(frame, node.right)} * {factor(frame, node.left)}"
    return replace(frame, node, content, safe_if(True), kept=[node.left, node.right])


def negated(event: Negation) -> Fix | None:
    """Write ``-x`` as ``F.np.negative(x)``; None for booleans, which the function refuses."""
    node, functions = event.node, event.frame.functions
    boolean = isinstance(event.value, Tensor) and event.value.type.dtype == "bool"
    if functions is None or boolean or not isinstance(node, ast.UnaryOp):
        return None
    content = f"{functions}.np.negative({argument(event.frame, node.operand)})"
    return replace(event.frame, node, content, safe_if(True), kept=[node.operand])
