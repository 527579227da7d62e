"""Descriptions of values for messages: the expression in the source, and what is known about its value."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import Frame
from hybridlint.analysis.model.values import ForeignTensor, NumpyArray, Outputs, ParameterRef, Static, Tensor, Value
from hybridlint.text.syntax import own

_LONGEST = 40


def snippet(frame: Frame, node: ast.AST) -> str:
    """Return the source of an expression in backquotes, on one line, shortened if it is long."""
    text = " ".join(frame.source.code(node).split())
    return f"`{text if len(text) <= _LONGEST else text[: _LONGEST - 3] + '...'}`"


def subject(node: ast.AST) -> ast.AST:
    """Return the object of an attribute read or method call, also for ``getattr(x, "shape")``."""
    match node:
        case ast.Attribute(value=inner) | ast.Call(func=ast.Attribute(value=inner)):
            return inner
        case ast.Call(args=[inner, *_]):
            return inner
    return node


def kind(value: Value) -> str:
    """Describe a value: ``a tensor of shape (N, 64)``, ``the several outputs of one operator``."""
    match value:
        case Tensor(type=known) | ForeignTensor(type=known) | ParameterRef(type=known):
            if isinstance(value, Tensor) and value.presumed:
                return "an argument taken for a tensor"
            noun = {Tensor: "a tensor", ForeignTensor: "an NDArray", ParameterRef: "a Parameter"}[type(value)]
            return noun if known.shape is None else f"{noun} of shape {known}"
        case Outputs():
            return "the several outputs of one operator"
        case NumpyArray():
            return "a numpy array"
        case Static():
            return "a Python value"
        case _:
            return "a value"


def named(frame: Frame, node: ast.AST, value: Value) -> str:
    """Describe an expression by its source and its value: ```x` is a tensor of shape (N, 64)``."""
    return f"{snippet(frame, node)} is {kind(value)}"


def yields(function: ast.AST) -> Iterator[ast.AST]:
    """Iterate over a function's yield expressions in source order, without those of nested functions."""
    found = [node for node in own(function) if isinstance(node, ast.Yield | ast.YieldFrom)]
    return iter(sorted(found, key=lambda node: (node.lineno, node.col_offset)))
