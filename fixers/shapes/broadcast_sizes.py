"""Fixers of tensors that are repeated or broadcast to sizes of other tensors: broadcast_like."""

from __future__ import annotations

import ast
from collections.abc import Collection, Sequence

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.shapes.sized_call_rules import SizeRead, rewrites
from hybridlint.fixers.shapes.sizes import broadcast_along, elements, parse, parse_all, shaped_tensor
from hybridlint.fixers.toolkit.arguments import data_and_rest
from hybridlint.fixers.toolkit.names import plain_value
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.text import cst
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


@rewrites("repeat")
def repeat_like(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.repeat(y, repeats=x.shape[1], axis=k)`` with broadcast_like.

    It is that of axis `k` where this has the size 1, and of a new axis behind it, merged with it, elsewhere.
    """
    frame, functions = event.frame, event.frame.functions
    found = data_and_rest(call, ("repeats", "axis"), namespace)
    if found is None or functions is None:
        return None
    data, (repeats, along) = found
    size = None if repeats is None else parse(repeats)
    axis = literal(along)
    if size is None or size.plain is None or (along is not None and (axis is None or axis < 0)):
        return None
    rows = frame.concrete(data)
    if axis is not None and (_inserted(data) == axis or _has_ones(frame, data, [axis])):
        return rewrite(frame, call, broadcast_along(functions, rows, {axis: size.plain}), Applicability.SAFE)
    codes = [*[0] * (axis or 0), -3, -2]
    if axis is None:
        # Without an axis, repeat flattens the tensor and repeats each element.
        rows, codes = expression("{F}.reshape({x}, (-1,))", F=functions, x=rows), [-1]
    place = (axis or 0) + 1
    inserted = expression("{F}.expand_dims({x}, axis={axis})", F=functions, x=rows, axis=place)
    spread = broadcast_along(functions, inserted, {place: size.plain})
    new = expression("{F}.reshape({x}, ({codes},))", F=functions, x=spread, codes=codes)
    return rewrite(frame, call, new, Applicability.SAFE)


def _inserted(node: ast.expr) -> int | None:
    """Return the axis that an ``expand_dims`` call inserts; None for other expressions."""
    match node:
        case ast.Call(func=ast.Attribute(attr="expand_dims"), args=args, keywords=keywords):
            values = [*args, *(k.value for k in keywords)]
            return literal(values[-1]) if values else None
    return None


@rewrites("broadcast_axis")
def spread_axis(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.broadcast_axis(y, axis=1, size=x.shape[1])`` as broadcast_like `x` on axis 1."""
    frame = event.frame
    found = data_and_rest(call, ("axis", "size"), namespace)
    if found is None or frame.functions is None:
        return None
    data, (axes, sizes) = found
    places = [literal(axis) for axis in elements(axes)] if axes is not None else []
    requested = [parse(size) for size in elements(sizes)] if sizes is not None else []
    pairs = {
        place: size.plain
        for place, size in zip(places, requested, strict=False)
        if place is not None and size is not None and size.plain is not None
    }
    if not pairs or len(pairs) != len(places) or len(places) != len(requested):
        return None
    return rewrite(frame, call, broadcast_along(frame.functions, frame.concrete(data), pairs), Applicability.SAFE)


@rewrites("broadcast_to")
def spread_to(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``y.broadcast_to((x.shape[0], 3))`` as broadcast_like with a tensor of that shape."""
    frame, functions = event.frame, event.frame.functions
    found = data_and_rest(call, ("shape",), namespace)
    if found is None or found[1][0] is None or functions is None:
        return None
    data, shape = found[0], found[1][0]
    sure = safe_if(namespace or has_rank(frame, data, len(elements(shape))))
    along = _along_axes(frame, functions, data, elements(shape))
    if along is not None:
        return rewrite(frame, call, along, sure)
    sizes = parse_all(elements(shape))
    if sizes is None:
        return None
    template = "{F}.broadcast_like({x}, {like})"
    new = expression(template, F=functions, x=frame.concrete(data), like=shaped_tensor(functions, sizes))
    return rewrite(frame, call, new, sure)


@rewrites("tile")
def tile_like(event: SizeRead, call: ast.Call, namespace: bool) -> Fix | None:
    """Write ``F.tile(y, (x.shape[0], 1, 1))`` with broadcast_like, where `y` has size 1 on the axes that are tiled.

    A vector gets such an axis, which is merged with its own one behind that.
    """
    frame, functions = event.frame, event.frame.functions
    found = data_and_rest(call, ("reps",), namespace)
    if found is None or found[1][0] is None or functions is None:
        return None
    data, repeats = found[0], elements(found[1][0])
    sizes = [parse(size) for size in repeats]
    pairs = {place: size.plain for place, size in enumerate(sizes) if size is not None and size.plain is not None}
    others = {place: size for place, size in enumerate(repeats) if place not in pairs and literal(size) != 1}
    if not pairs or any(_reads_size(size) for size in others.values()):
        return None
    held = frame.seen.value(data)
    own = held.type.shape if isinstance(held, Tensor) else None
    if own is not None and len(own) == 1 and len(repeats) == 1 and 0 in pairs:
        row = expression("{F}.expand_dims({x}, axis=0)", F=functions, x=frame.concrete(data))
        rows = broadcast_along(functions, row, {0: pairs[0]})
        new = expression("{F}.reshape({x}, (-1,))", F=functions, x=rows)
        return rewrite(frame, call, new, Applicability.SAFE)
    known = _has_ones(frame, data, pairs, rank=len(repeats))
    if not known and (own is not None or others or pairs.keys() != {_kept(frame, data)}):
        return None
    sure = known or (_is_product(_made(frame, data)) and len(repeats) == 3)
    new = broadcast_along(functions, frame.concrete(data), pairs)
    if others:
        kept = [frame.concrete(others[place]) if place in others else 1 for place in range(len(repeats))]
        new = expression("{F}.tile({x}, reps=({kept},))", F=functions, x=new, kept=kept)
    return rewrite(frame, call, new, safe_if(sure))


def _has_ones(frame: CodeContext, data: ast.expr, places: Collection[int], rank: int | None = None) -> bool:
    """Whether a tensor surely has the size 1 along some axes, and the given rank, if any."""
    held = frame.seen.value(data)
    shape: Sequence[object] | None = held.type.shape if isinstance(held, Tensor) else None
    if shape is None:
        axes = SizeInference(frame).axes(data)
        known = axes is not None and (axes.whole or rank is None)
        shape = [1 if size == AxisSize(()) else None for size in axes.sizes] if axes is not None and known else None
    if shape is None or (rank is not None and len(shape) != rank):
        return False
    return all(place < len(shape) and shape[place] == 1 for place in places)


def _made(frame: CodeContext, data: ast.expr) -> ast.expr | None:
    """Return the expression whose value the data are, also behind a name."""
    return plain_value(frame, data) if isinstance(data, ast.Name) else data


def _is_product(made: ast.expr | None) -> bool:
    """Whether an expression is a product of batches of one row, ``F.batch_dot(a.expand_dims(1), b)``, of three axes."""
    match made:
        case ast.Call(func=ast.Attribute(attr="batch_dot"), args=[first, _], keywords=keywords):
            return _inserted(first) == 1 and all(k.arg != "transpose_a" for k in keywords)
    return False


def _kept(frame: CodeContext, data: ast.expr) -> int | None:
    """Return the axis of size 1 of a value that was reduced along it with ``keepdims``, or has it inserted.

    None for other values.
    """
    made = _made(frame, data)
    if made is not None and (_is_product(made) or _inserted(made) is not None):
        return 1 if _is_product(made) else _inserted(made)
    match made:
        case ast.Call(keywords=keywords):
            given = {k.arg: k.value for k in keywords}
        case _:
            return None
    match given.get("keepdims"):
        case ast.Constant(value=True):
            return literal(given.get("axis"))
    return None


def _along_axes(frame: CodeContext, functions: str, data: ast.expr, shape: list[ast.expr]) -> cst.BaseExpression | None:
    """Return ``y.broadcast_to((x.shape[0], 3))`` with each size of a tensor as broadcast_like on that axis.

    Other sizes stay with broadcast_to, whose code for an axis that keeps its size is 0. None unless `y` is known to
    have the size 1 along the axes of tensors' sizes: broadcast_like takes no other along a single axis.
    """
    held = frame.seen.value(data)
    own = held.type.shape if isinstance(held, Tensor) else None
    found = {place: parse(size) for place, size in enumerate(shape)}
    sizes = {place: size for place, size in found.items() if size is not None and size.axes}
    pairs = {place: size.plain for place, size in sizes.items() if size.plain is not None}
    if not pairs or len(pairs) != len(sizes) or own is None or len(own) != len(shape):
        return None
    if any(found[place] is None and _reads_size(size) for place, size in enumerate(shape)):
        return None
    if any(own[place] != 1 for place in pairs):
        return None
    fixed = {place: literal(shape[place]) for place in range(len(shape)) if place not in pairs}
    # An axis that is to have the size 1 has it already, and one with the code 0 keeps its own.
    others = [place for place, number in fixed.items() if number not in {0, 1, own[place]}]
    new = frame.concrete(data)
    if others:
        kept = [frame.concrete(shape[place]) if place in others else 0 for place in range(len(shape))]
        new = expression("{F}.broadcast_to({x}, shape=({kept},))", F=functions, x=new, kept=kept)
    return broadcast_along(functions, new, pairs)


def _reads_size(node: ast.expr) -> bool:
    """Whether an expression reads a shape, in a way that `parse` does not know."""
    return any(isinstance(part, ast.Attribute) and part.attr == "shape" for part in walk(node))


def has_rank(frame: CodeContext, data: ast.expr, rank: int | None) -> bool:
    """Whether a tensor surely has this rank; only the method ``broadcast_to`` adds leading axes."""
    value = frame.seen.value(data)
    return isinstance(value, Tensor) and value.type.rank is not None and value.type.rank == rank
