"""The fixer of a tensor that is taken apart whole: ``q, k, v = x[0], x[1], x[2]``."""

from __future__ import annotations

import ast

from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text.edits import Fix


def all_parts(event: Subscript) -> Fix | None:
    """Write ``q, k, v = x[0], x[1], x[2]`` as ``F.split(x, num_outputs=3, axis=0, squeeze_axis=True)``.

    The axis has as many places as there are parts, in their order. Slices of one place, ``x[:, 0:1]``, keep the axis.
    """
    frame, value = event.frame, event.value
    match frame.statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=parts) as whole):
            pass
        case _:
            return None
    if frame.functions is None or not isinstance(value, Tensor) or len(names) != len(parts) or len(parts) < 2:
        return None
    if any(part_changes(frame, part) for part in parts):
        return None
    found = [_part(part) for part in parts]
    first = found[0]
    if first is None or value.type.shape is None:
        return None
    tensor, axis, _, keeps = first
    expected = [(tensor, axis, place, keeps) for place in range(len(parts))]
    if found != expected or axis >= len(value.type.shape) or value.type.shape[axis] != len(parts):
        return None
    squeezed = "" if keeps else ", squeeze_axis=True"
    template = f"{{F}}.split({{x}}, num_outputs={{count}}, axis={{axis}}{squeezed})"
    new = expression(template, F=frame.functions, x=tensor, count=len(parts), axis=axis)
    assert isinstance(event.node, ast.Subscript)
    return rewrite(frame, whole, new, safe_if(proved_value(frame, value, event.node.value)))


def _part(node: ast.expr) -> tuple[str, int, int, bool] | None:
    """Return the tensor's name, the axis and the place that a subscript takes, and whether it keeps the axis."""
    match node:
        case ast.Subscript(value=ast.Name(id=tensor), slice=ast.Tuple(elts=keys)):
            pass
        case ast.Subscript(value=ast.Name(id=tensor), slice=key):
            keys = [key]
        case _:
            return None
    taking = [axis for axis, key in enumerate(keys) if not whole_slice(key)]
    if len(taking) != 1:
        return None
    axis, key = taking[0], keys[taking[0]]
    match key:
        case ast.Slice(lower=lower, upper=upper, step=None):
            begin = 0 if lower is None else literal(lower)
            fits = begin is not None and literal(upper) == begin + 1
            return (tensor, axis, begin, True) if fits and begin is not None else None
    place = literal(key)
    return None if place is None else (tensor, axis, place, False)
