"""The fixer of a tensor that is taken apart whole: ``q, k, v = x[0], x[1], x[2]``."""

from __future__ import annotations

import ast
from collections.abc import Mapping

from hybridlint.analysis.model.events import CodeContext, Subscript
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.indexing.keys import literal, whole_slice
from hybridlint.fixers.indexing.split_parts import are_all_numbers, of_one_binding, taken_apart
from hybridlint.fixers.toolkit.rewriting import safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import Fix
from hybridlint.text.syntax import walk

#: The fewest parts that are taken for all parts of an axis of unknown size.
_FEWEST = 3


def all_parts(event: Subscript) -> Fix | None:
    """Write ``q, k, v = x[0], x[1], x[2]`` as ``F.split(x, num_outputs=3, axis=0, squeeze_axis=True)``.

    The axis has as many places as there are parts: its size is known, or the code takes the first three or more of
    them one by one and nothing else of the axis, which may be the last: ``x[..., 0]``. Where other statements take
    them, they read a list of the parts. Slices of one place, ``x[:, 0:1]``, keep the axis.
    """
    frame, value, node = event.frame, event.value, event.node
    assert isinstance(node, ast.Subscript)
    first = _part(node)
    if frame.functions is None or not isinstance(value, Tensor) or first is None:
        return None
    tensor, axis, _, keeps = first
    shape = value.type.shape
    size = shape[axis] if shape is not None and axis < len(shape) else None
    cuts = [n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Subscript) and _part(n) is not None]
    places: dict[ast.Subscript, int] = {}
    for cut in of_one_binding(frame, node, [n for n in cuts if isinstance(n.value, ast.Name) and n.value.id == tensor]):
        part = _part(cut)
        if part is not None and (part[1], part[3]) == (axis, keeps):
            places[cut] = part[2]
    known = isinstance(size, int)
    count = size if isinstance(size, int) else len({*places.values()})
    if count < (2 if known else _FEWEST) or not are_all_numbers(places.values(), count):
        return None
    if not known and (axis == 0 or _reads_more(frame, node, places)):
        return None
    if any(part_changes(frame, cut) for cut in places):
        return None
    # An item of a tensor with one axis keeps that axis.
    squeezed = "" if keeps or (shape is not None and len(shape) == 1) else ", squeeze_axis=True"
    template = f"{{F}}.split({{x}}, num_outputs={{count}}, axis={{axis}}{squeezed})"
    split = expression(template, F=frame.functions, x=tensor, count=count, axis=axis)
    fix = taken_apart(frame, places, split, safe_if(known and proved_value(frame, value, node.value)))
    if fix is None or known:
        return fix
    return replace(fix, message=f"Split `{tensor}` into {count} parts, if axis {axis} has size {count}")


def _reads_more(frame: CodeContext, node: ast.Subscript, places: Mapping[ast.Subscript, int]) -> bool:
    """Return whether the function reads the tensor of a cut in other ways.

    An axis of unknown size may then be longer.
    """
    if not isinstance(node.value, ast.Name) or (version := frame.flow.version(node.value)) is None:
        return True
    own = {cut.value for cut in places}
    others = [read for read in frame.flow.reads_of(node.value.id) if read not in own]
    return any(frame.flow.version(read) in (version, None) for read in others)


def _part(node: ast.expr) -> tuple[str, int, int, bool] | None:
    """Return the tensor's name, the axis and the place that a subscript takes, and whether it keeps the axis."""
    match node:
        case ast.Subscript(value=ast.Name(id=tensor), slice=ast.Tuple(elts=keys)):
            pass
        case ast.Subscript(value=ast.Name(id=tensor), slice=key):
            keys = [key]
        case _:
            return None
    last = len(keys) == 2 and isinstance(keys[0], ast.Constant) and keys[0].value is Ellipsis
    taking = [-1] if last else [axis for axis, key in enumerate(keys) if not whole_slice(key)]
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
