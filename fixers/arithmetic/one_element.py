"""Fixers of Python numbers read from tensors: one-element tensors in their place."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.arithmetic.python_operators import beside_tensor
from hybridlint.fixers.toolkit.names import named_operand, parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts import lookup, properties
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix


def number(frame: CodeContext, node: ast.expr, tensor: cst.BaseExpression, *, single: bool) -> Fix | None:
    """Write ``x * float(y.asnumpy().sum())`` as ``F.broadcast_mul(x, F.BlockGrad(y.sum()))``.

    `node` is ``y.asnumpy()`` and `tensor` is ``y``. `single` says that ``y`` itself has one element, so that no
    reduction is needed. Return None if the code makes no Python number of the data, or if that number is neither bound
    to a name nor an operand beside a tensor.
    """
    functions = frame.functions
    if functions is None:
        return None
    outer, new, truncated = node, tensor, False
    while True:
        parent = parent_of(frame, outer)
        match parent:
            case ast.Attribute(attr=method) if isinstance(call := parent_of(frame, parent), ast.Call):
                if call.args or call.keywords or not (method == "item" or _reduces(method)):
                    return None
                if method != "item":
                    new = expression("{x}.{method}()", x=new, method=method)
                single, outer = True, call
            case ast.Subscript(slice=ast.Constant(value=0 | -1)) if single:
                outer = parent
            case ast.Call(func=ast.Name(id="float" | "int" as kind), args=[_], keywords=[]) if not truncated:
                single, truncated, outer = True, kind == "int", parent
            case _:
                break
    if not single or outer is node:
        return None
    new = expression("{F}.trunc({F}.BlockGrad({x}))" if truncated else "{F}.BlockGrad({x})", F=functions, x=new)
    if isinstance(parent_of(frame, outer), ast.Assign):
        return rewrite(frame, outer, new, Applicability.UNSAFE) if named_operand(frame) else None
    found = beside_tensor(frame, outer, new)
    return None if found is None else rewrite(frame, *found, Applicability.UNSAFE)


def _reduces(method: str) -> bool:
    """Whether a method reduces all elements of a tensor to one."""
    operator = lookup.method(method)
    return operator is not None and operator.differentiable and properties.reduces_to_number(operator)
