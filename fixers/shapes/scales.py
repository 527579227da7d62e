"""The scales by which an image's own sizes are multiplied: ``x.shape[2] * 2``, ``x.shape[3] // 4``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Unknown
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sizes import parse
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.text import cst

#: The axes of an image's height and width, counted from either end.
_HEIGHT, _WIDTH = frozenset({2, -2}), frozenset({3, -1})


def own_scales(
    frame: CodeContext, image: ast.expr, height: ast.expr, width: ast.expr
) -> tuple[cst.BaseExpression | float, cst.BaseExpression | float] | None:
    """Return the factors of an image's height and width; None if they are not multiples of its own sizes.

    Measured on MXNet 1.9.1: an operator that takes scales gives images of ``int(size * scale)`` with the same numbers
    as one that takes these sizes.
    """
    scales = _scale(frame, image, _HEIGHT, height), _scale(frame, image, _WIDTH, width)
    return None if scales[0] is None or scales[1] is None else (scales[0], scales[1])


def _scale(
    frame: CodeContext, image: ast.expr, axes: frozenset[int], node: ast.expr
) -> cst.BaseExpression | float | None:
    match node:
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            for size, factor in ((left, right), (right, left)):
                if _is_own_size(image, axes, size):
                    return _factor(frame, factor)
        case ast.BinOp(left=left, op=ast.FloorDiv(), right=right) if _is_own_size(image, axes, left):
            divisor = literal(right)
            # A float32 has the reciprocals of powers of 2 exactly, so that the product is cut off as the quotient is.
            return 1 / divisor if divisor is not None and divisor > 0 and divisor & (divisor - 1) == 0 else None
    return None


def _is_own_size(image: ast.expr, axes: frozenset[int], node: ast.expr) -> bool:
    """Return whether an expression reads one of the axes of an image that a name holds."""
    size = parse(node)
    plain = None if size is None else size.plain
    return isinstance(image, ast.Name) and plain is not None and plain[0] == image.id and plain[1] in axes


def _factor(frame: CodeContext, node: ast.expr) -> cst.BaseExpression | float | None:
    """Return a factor as a scale: a positive number, or a setting; None for sizes of tensors."""
    number = literal(node)
    if number is not None:
        return number if number > 0 else None
    path = dotted_parts(node) or ()
    known = frame.seen.value(node)
    setting = isinstance(known, StaticValue) or (len(path) == 2 and path[0] == "self" and isinstance(known, Unknown))
    return frame.concrete(node) if path and setting else None
