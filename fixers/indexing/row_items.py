"""Fixer of a number that code stores in one item of each row, at the column given by a vector."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, TensorStore
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.fixers.evidence.sizes.axis_size import axis_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.end_stores import filled_part
from hybridlint.fixers.indexing.stores import names_of
from hybridlint.fixers.shapes.requested_dtypes import DEFAULT
from hybridlint.fixers.toolkit.nodes import assignment, string
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix


def item_of_each_row(event: TensorStore) -> Fix | None:
    """Write ``z[F.arange(n), y] = 1`` as a choice between `z` and ones, by a comparison of `y` with the columns of `z`.

    Unsafe: a column before the first counts from the end in an assignment, and is none in the comparison.
    """
    node, frame, names = event.node, event.frame, names_of(event)
    held, functions, key = event.value, frame.functions, event.target.slice
    if functions is None or not names or not isinstance(node, ast.Assign) or not isinstance(event.new, StaticValue):
        return None
    if not isinstance(held, Tensor) or held.mode != "legacy" or held.type.dtype not in {None, DEFAULT}:
        return None
    match key:
        case ast.Tuple(elts=[rows, columns]) if _are_all_rows(frame, rows, event.target.value):
            chosen = _columns(frame, columns)
        case _:
            return None
    if held.type.rank not in {None, 2} or chosen is None:
        return None
    new = expression(
        "{F}.where({F}.broadcast_equal({F}.expand_dims({chosen}, axis=1), "
        "{F}.expand_dims({F}.contrib.arange_like({z}, axis=1), axis=0)), {filled}, {z})",
        F=functions,
        chosen=chosen,
        z=names[0],
        filled=filled_part(event, functions, expression("{z}", z=names[0])),
    )
    return rewrite(frame, node, assignment(names, new), Applicability.UNSAFE)


def _are_all_rows(frame: CodeContext, key: ast.expr, tensor: ast.expr) -> bool:
    """Whether a key counts the rows of a matrix: ``F.arange(n)``, where the code shows that it has `n` rows."""
    reader = SizeInference(frame, guess=True)
    match key:
        case ast.Call(func=ast.Attribute(attr="arange"), args=[_]):
            pass
        case ast.Call(func=ast.Attribute(attr="arange_like"), keywords=[ast.keyword(arg="axis", value=ast.Constant())]):
            pass
        case _:
            return False
    counted = reader.axes(key)
    axes = reader.axes(tensor)
    if counted is None or axes is None or (axes.whole and len(axes.sizes) != 2):
        return False
    return axis_of(counted, 0) == axis_of(axes, 0)


def _columns(frame: CodeContext, key: ast.expr) -> cst.BaseExpression | None:
    """Return a vector of column numbers in the dtype of the positions that they are compared with."""
    held, columns = frame.seen.value(key), frame.concrete(key)
    if not isinstance(held, Tensor) or held.type.rank not in {None, 1}:
        return None
    if held.type.dtype == DEFAULT:
        return columns
    return expression("{columns}.astype({dtype})", columns=columns, dtype=string(DEFAULT))
