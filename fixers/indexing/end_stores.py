"""Fixer of a number that code stores at one end of an axis: joins a filled part with the rest."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import CodeContext, TensorStore
from hybridlint.analysis.model.values import StaticValue, Tensor
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.indexing.stores import names_of
from hybridlint.fixers.toolkit.nodes import assignment
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix

#: What a bound may be made of, which is written twice.
_BOUND = (ast.Name, ast.Attribute, ast.Constant, ast.UnaryOp, ast.USub, ast.Load)


def end_filled(event: TensorStore) -> Fix | None:
    """Write ``x[:, :b] = 0`` as ``x``, with the part before `b` along that axis replaced by zeros.

    `b` is a name or a number, from either end of the axis. Operators take no part of size 0, so that it must lie inside
    the axis, where the assignment takes any number.
    """
    node, functions, names = event.node, event.frame.functions, names_of(event)
    if functions is None or not names or not isinstance(node, ast.Assign) or not isinstance(event.new, StaticValue):
        return None
    keys = event.target.slice.elts if isinstance(event.target.slice, ast.Tuple) else [event.target.slice]
    axis, *others = [at for at, key in enumerate(keys) if not whole_slice(key)] or [0]
    bound = _bound(keys[axis])
    if others or bound is None or not isinstance(event.value, Tensor) or event.value.mode != "legacy":
        return None
    template = "{F}.slice_axis({x}, axis={axis}, begin={begin}, end={end})"
    at, nothing = event.frame.concrete(bound), expression("None")
    first = expression(template, F=functions, x=names[0], axis=axis, begin=0, end=at)
    last = expression(template, F=functions, x=names[0], axis=axis, begin=at, end=nothing)
    is_first = isinstance(keys[axis], ast.Slice) and bound is keys[axis].upper  # type: ignore[attr-defined]
    parts = [filled_part(event, functions, first), last] if is_first else [first, filled_part(event, functions, last)]
    new = expression("{F}.concat({parts}, dim={axis})", F=functions, parts=parts, axis=axis)
    return rewrite(event.frame, node, assignment(names, new), Applicability.UNSAFE)


def _bound(key: ast.expr) -> ast.expr | None:
    """Return `b` of ``:b`` and ``b:``; None for other keys, and for an expression that may change between two reads."""
    if not isinstance(key, ast.Slice) or key.step is not None or (key.lower is None) == (key.upper is None):
        return None
    bound = key.lower or key.upper
    assert bound is not None
    return bound if literal(bound) != 0 and all(isinstance(part, _BOUND) for part in ast.walk(bound)) else None


def filled_part(event: TensorStore, functions: str, part: cst.BaseExpression) -> cst.BaseExpression:
    """Return a tensor like a part that is filled with the number of a store."""
    assert isinstance(event.node, ast.Assign)
    return number_like(event.frame, functions, part, event.node.value)


def number_like(frame: CodeContext, functions: str, part: cst.BaseExpression, number: ast.expr) -> cst.BaseExpression:
    """Return a tensor like a part that is filled with a number."""
    written = literal(number)
    if written in {0, 1}:
        return expression("{F}.{name}({part})", F=functions, name="ones_like" if written else "zeros_like", part=part)
    return expression("{F}.ones_like({part}) * {value}", F=functions, part=part, value=frame.concrete(number))
