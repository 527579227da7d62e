"""Fixers of guards that add a missing axis: a reshape adds it only if it is missing."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.indexing.keys import is_none, literal
from hybridlint.fixers.shapes.codes import INFERRED, LEGACY, NUMPY
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.fixers.toolkit.statements import replace_statements
from hybridlint.fixers.toolkit.templates import expression, statements
from hybridlint.text.edits import Applicability, Fix

#: The most axes for which codes are written out.
_MOST_AXES = 5


def with_missing_axis(event: AttributeRead) -> Fix | None:
    """Write ``if x.ndim == 2: x = x.expand_dims(0)`` as ``x = F.reshape(x, (-1, 0, 0), reverse=True)``.

    A tensor that has the axis keeps it: the code -1 stands for its size, and for 1 where it is missing. Unsafe: of a
    tensor with even more axes, the guard changes nothing.
    """
    frame, node = event.frame, event.frame.statement
    if frame.functions is None or not isinstance(event.value, Tensor) or not isinstance(node, ast.If) or node.orelse:
        return None
    match node.body:
        case [ast.Assign(targets=[ast.Name(id=name)], value=value)]:
            pass
        case _:
            return None
    rank = tested_rank(node.test, name)
    axis = None if rank is None else _added(frame, value, name, rank)
    if rank is None or axis is None or not 0 < rank <= _MOST_AXES:
        return None
    numpy = event.value.mode == "np"
    kept = [(NUMPY if numpy else LEGACY).copy] * rank
    codes = [INFERRED, *kept] if axis == 0 else [*kept, INFERRED]
    template = "{F}.reshape({x}, ({codes},), reverse=True)" if axis == 0 else "{F}.reshape({x}, ({codes},))"
    namespace = f"{frame.functions}.npx" if numpy else frame.functions
    new = expression(template, F=namespace, x=name, codes=codes)
    made = statements("{name} = {new}", name=name, new=new)
    return replace_statements(
        frame, node, made, Applicability.UNSAFE, message="Add the axis by reshape where it is missing"
    )


def tested_rank(test: ast.expr, name: str) -> int | None:
    """Return the number of axes that a guard tests a tensor for, ``x.ndim == 2`` or ``len(x.shape) < 3``; else None."""
    match test:
        case ast.Compare(left=left, ops=[op], comparators=[bound]) if _is_rank(left, name):
            number = literal(bound)
        case _:
            return None
    if number is None or not isinstance(op, ast.Eq | ast.Lt | ast.NotEq | ast.LtE):
        return None
    return number if isinstance(op, ast.Eq | ast.LtE) else number - 1


def _is_rank(node: ast.expr, name: str) -> bool:
    match node:
        case ast.Attribute(value=ast.Name(id=tensor), attr="ndim"):
            return tensor == name
        case ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(value=ast.Name(id=tensor), attr="shape")]):
            return tensor == name
    return False


def _added(frame: CodeContext, value: ast.expr, name: str, rank: int) -> int | None:
    """Return the axis that an expression adds to a tensor, 0 for first and -1 for last; else None."""
    axis: int | None = None
    match value:
        case ast.Call(func=ast.Attribute(value=receiver, attr="expand_dims"), args=args, keywords=keywords):
            given = [*args, *(k.value for k in keywords)]
            path = dotted_parts(receiver) or ()
            if path[:1] == (frame.functions,) and given:
                receiver, given = given[0], given[1:]
            same = isinstance(receiver, ast.Name) and receiver.id == name
            axis = literal(given[0]) if same and len(given) == 1 else None
        case ast.Subscript(value=ast.Name(id=tensor), slice=key) if tensor == name and is_none(key):
            axis = 0
    return 0 if axis == 0 else -1 if axis in {-1, rank} else None
