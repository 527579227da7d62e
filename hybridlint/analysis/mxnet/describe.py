"""Descriptions of values for messages: the expression in the source, and what is known about its value."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import (
    CapturedArray,
    NumpyArray,
    Outputs,
    ParameterRef,
    StaticValue,
    Tensor,
    Value,
)


def kind(value: Value) -> str:
    """Describe a value: ``a tensor of shape (N, 64)``, ``the several outputs of one operator``."""
    match value:
        case Tensor(type=known) | CapturedArray(type=known) | ParameterRef(type=known):
            if isinstance(value, Tensor) and value.presumed:
                return "an argument taken for a tensor"
            noun = {Tensor: "a tensor", CapturedArray: "an NDArray", ParameterRef: "a Parameter"}[type(value)]
            return noun if known.shape is None else f"{noun} of shape {known}"
        case Outputs():
            return "the several outputs of one operator"
        case NumpyArray():
            return "a numpy array"
        case StaticValue():
            return "a Python value"
        case _:
            return "a value"


def describe_expression(frame: CodeContext, node: ast.AST, value: Value) -> str:
    """Describe an expression and its value for a message: ```x` is a tensor of shape (N, 64)``."""
    return f"{snippet(frame, node)} is {kind(value)}"


def lack(node: ast.AST, name: str) -> str:
    """Describe what reading an attribute that a Symbol lacks comes to: it raises, or ``getattr`` gives its default."""
    silent = takes_default(node)
    return f"a Symbol has no `{name}`" + (", and `getattr` gives its default once hybridized" if silent else "")


def takes_default(node: ast.AST) -> bool:
    """Return whether an attribute is read by ``getattr(value, name, default)``, which raises nothing."""
    match node:
        case ast.Call(func=ast.Name(id="getattr"), args=[_, _, _]):
            return True
        case _:
            return False
