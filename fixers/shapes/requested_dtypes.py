"""The dtype in which a call makes a tensor, and tensors cast to it."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.shapes.sized_call_rules import SizeRead
from hybridlint.fixers.toolkit.nodes import string
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst

#: The default dtype of creation functions, and the mark for the dtype of the tensor.
DEFAULT = "float32"
OWN = ""


def requested_dtype(event: SizeRead, given: ast.expr | None) -> str | None:
    """Return the dtype that a call names: OWN for ``x.dtype``, the default for none; None if it is unclear."""
    match given:
        case None:
            return DEFAULT
        case ast.Constant(value=str() as dtype):
            return dtype
        case ast.Attribute(value=ast.Name(), attr="dtype") if isinstance(event.value, Tensor):
            return OWN
    return None


def tensor_of_dtype(call: ast.Call) -> str | None:
    """Return the name of the tensor whose dtype a call requests, ``dtype=x.dtype``."""
    for keyword in call.keywords:
        match keyword:
            case ast.keyword(arg="dtype", value=ast.Attribute(value=ast.Name(id=name))):
                return name
    return None


def cast(event: SizeRead, tensor: cst.BaseExpression, dtype: str) -> cst.BaseExpression:
    """Return an expression of the tensor's dtype cast to another dtype; unchanged if that is the same."""
    known = isinstance(event.value, Tensor) and event.value.type.dtype == dtype
    if known or dtype == OWN:
        return tensor
    return expression("{x}.astype({dtype})", x=tensor, dtype=string(dtype))
