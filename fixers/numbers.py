"""Numbers that Python reads from tensors, as tensors of one element."""

from __future__ import annotations

import ast

from hybridlint.analysis.events import Frame
from hybridlint.edits import Applicability, Fix
from hybridlint.fixers.arithmetic import beside_tensor
from hybridlint.fixers.names import named_operand, parent_of
from hybridlint.fixers.text import replace
from hybridlint.runtime import lookup, properties


def number(frame: Frame, node: ast.expr, tensor: str, *, single: bool) -> Fix | None:
    """Rewrite ``x * float(y.asnumpy().sum())``, where `node` is ``y.asnumpy()`` and `tensor` the text of ``y``.

    `single` tells that the tensor has one element as it is. None where no number is made of it, or where it is
    neither given a name nor an operand beside a tensor.
    """
    functions = frame.functions
    if functions is None:
        return None
    outer, text = node, tensor
    truncated = False
    while True:
        parent = parent_of(frame, outer)
        match parent:
            case ast.Attribute(attr=method) if isinstance(call := parent_of(frame, parent), ast.Call):
                if call.args or call.keywords or not (method == "item" or _reduces(method)):
                    return None
                text, single, outer = text if method == "item" else f"{text}.{method}()", True, call
            case ast.Subscript(slice=ast.Constant(value=0 | -1)) if single:
                outer = parent
            case ast.Call(func=ast.Name(id="float" | "int" as kind), args=[_], keywords=[]) if not truncated:
                single, truncated, outer = True, kind == "int", parent
            case _:
                break
    if not single or outer is node:
        return None
    content = f"{functions}.BlockGrad({text})"
    content = f"{functions}.trunc({content})" if truncated else content
    if isinstance(parent_of(frame, outer), ast.Assign):
        return replace(frame, outer, content, Applicability.UNSAFE) if named_operand(frame) else None
    found = beside_tensor(frame, outer, content)
    if found is None:
        return None
    operator, written = found
    other = operator.right if operator.left is outer else operator.left
    return replace(frame, operator, written, Applicability.UNSAFE, kept=[other])


def _reduces(method: str) -> bool:
    """Whether a method leaves one element, in which each of the tensor's has a part."""
    operator = lookup.method(method)
    return operator is not None and operator.differentiable and properties.reduces_to_number(operator)
