"""Shapes that code puts together: ``x.shape[:2] + (-1,)``, ``(n, *x.shape[1:3])``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.text.syntax import walk

#: No array has more dimensions.
_MOST_AXES = 64


def sizes_of(shape: ast.expr) -> list[ast.expr] | None:
    """Return the sizes of a shape that code builds from tuples and slices with both ends, one by one.

    None for any other expression, such as a shape of unknown length. A tensor with fewer axes than a slice takes would
    have fewer sizes: `are_there` tells whether it has them.
    """
    match shape:
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            found = [sizes_of(part.value) if isinstance(part, ast.Starred) else [part] for part in parts]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            found = [sizes_of(left), sizes_of(right)]
        case ast.Subscript(value=ast.Attribute(attr="shape") as whole, slice=ast.Slice(step=None) as key):
            return _taken(whole, 0 if key.lower is None else literal(key.lower), literal(key.upper))
        case _:
            return None
    known = [sizes for sizes in found if sizes is not None]
    return [size for sizes in known for size in sizes] if len(known) == len(found) else None


def are_there(frame: CodeContext, shape: ast.expr) -> bool:
    """Return whether the tensors whose shapes are sliced surely have as many axes as the slices take."""
    for node in walk(shape):
        match node:
            case ast.Subscript(
                value=ast.Attribute(value=tensor, attr="shape"), slice=ast.Slice(upper=ast.expr() as upper)
            ):
                axes = SizeInference(frame).axes(tensor)
                if axes is None or not axes.whole or len(axes.sizes) < (literal(upper) or 0):
                    return False
    return True


def _taken(whole: ast.Attribute, begin: int | None, end: int | None) -> list[ast.expr] | None:
    if begin is None or end is None or not 0 <= begin < end <= _MOST_AXES:
        return None
    return [ast.Subscript(whole, ast.Constant(axis), ast.Load()) for axis in range(begin, end)]
