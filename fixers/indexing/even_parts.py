"""Fixer of a tensor that is cut into equal parts by its own size: ``half = x.shape[1] // 2``, ``x[:, :half]``."""

from __future__ import annotations

import ast
from fractions import Fraction
from math import prod

from hybridlint.analysis.model.events import AttributeRead, Frame
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.sizes.extent import Extent, axis_of
from hybridlint.fixers.evidence.sizes.extents import Extents
from hybridlint.fixers.indexing.keys import is_ellipsis, literal, whole_slice
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite
from hybridlint.fixers.toolkit.statements import joined
from hybridlint.fixers.toolkit.templates import expression
from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Fix
from hybridlint.text.syntax import walk


@record(frozen=True, slots=True)
class _Place:
    """One of `count` equal parts of a tensor along an axis."""

    axis: int
    number: int
    count: int


def even_part(frame: Frame, node: ast.Subscript) -> Fix | None:
    """Write ``x[:, :half]`` as ``F.split(x, num_outputs=2, axis=1)[0]``, where code takes the other half too.

    Unsafe: operators cut an axis only into parts of one size, where the code rounds. None if no bound reads a size, or
    if the function does not take all the parts.
    """
    if frame.functions is None or frame.mode != "legacy" or not isinstance(node.value, ast.Name):
        return None
    listed = _listed(frame, node)
    if listed is not None:
        return listed
    place = _place(frame, node)
    if place is None:
        return None
    places = [_place(frame, other) for other in _cuts(frame, node.value.id)]
    taken = {one.number for one in places if one is not None and (one.axis, one.count) == (place.axis, place.count)}
    if taken != {*range(place.count)}:
        return None
    whole = _unpacked(frame, node, place.count)
    template = "{F}.split({x}, num_outputs={count}, axis={axis})" + ("" if whole else "[{number}]")
    new = expression(
        template, F=frame.functions, x=node.value.id, count=place.count, axis=place.axis, number=place.number
    )
    return rewrite(frame, whole or node, new, Applicability.UNSAFE)


def even_parts(event: AttributeRead) -> Fix | None:
    """Write all parts that numpy mode cuts by the size that is read, ``x[:, :half]``, as those of ``F.np.split``.

    Subscripts work in a graph of numpy mode, the size alone does not. Unsafe as `even_part` is.
    """
    frame, node = event.frame, event.node
    tensor = node.value if isinstance(node, ast.Attribute) else None
    if frame.functions is None or not isinstance(event.value, Tensor) or event.value.mode != "np":
        return None
    if event.name != "shape" or not isinstance(tensor, ast.Name):
        return None
    placed = [(cut, place) for cut in _cuts(frame, tensor.id) if (place := _place(frame, cut)) is not None]
    kinds = {(place.axis, place.count) for _, place in placed}
    if len(kinds) != 1 or {place.number for _, place in placed} != {*range(placed[0][1].count)}:
        return None
    template = "{F}.np.split({x}, {count}, axis={axis})[{number}]"
    fixes: list[Fix | None] = []
    for cut, place in placed:
        count, axis, number = place.count, place.axis, place.number
        new = expression(template, F=frame.functions, x=tensor.id, count=count, axis=axis, number=number)
        fixes.append(rewrite(frame, cut, new, Applicability.UNSAFE))
    return joined("Split the tensor into its parts", fixes)


def _unpacked(frame: Frame, node: ast.Subscript, count: int) -> ast.Tuple | None:
    """Return the parts around one of them in ``a, b = x[:, :half], x[:, half:]``; None if they stand elsewhere."""
    match frame.statement:
        case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=parts) as whole) if node in parts:
            pass
        case _:
            return None
    same = all(isinstance(part, ast.Subscript) and ast.dump(part.value) == ast.dump(node.value) for part in parts)
    places = [_place(frame, part) for part in parts if isinstance(part, ast.Subscript)] if same else []
    numbers = [place.number for place in places if place is not None and place.count == count]
    return whole if len(names) == count and numbers == [*range(count)] else None


def _cuts(frame: Frame, name: str) -> list[ast.Subscript]:
    """Return the subscripts of a tensor in the function."""
    found = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.Subscript))
    return [n for n in found if isinstance(n.value, ast.Name) and n.value.id == name]


def _cut(node: ast.Subscript) -> tuple[int, ast.Slice] | None:
    """Return the only axis that a subscript cuts, and the slice; None for other subscripts."""
    keys = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
    if keys and is_ellipsis(keys[0]):
        # What stands behind it counts axes from the end.
        cut = [(axis - len(keys), key) for axis, key in enumerate(keys) if axis and not whole_slice(key)]
    else:
        cut = [(axis, key) for axis, key in enumerate(keys) if not whole_slice(key)]
    if len(cut) != 1:
        return None
    axis, key = cut[0]
    return (axis, key) if isinstance(key, ast.Slice) and key.step is None else None


def _place(frame: Frame, node: ast.Subscript) -> _Place | None:
    """Return which of how many equal parts a subscript takes, by bounds that read the size of the axis."""
    cut, reader = _cut(node), Extents(frame)
    if cut is None:
        return None
    axis, key = cut
    bounds = [bound for bound in (key.lower, key.upper) if bound is not None and literal(bound) != 0]
    if not bounds or not all(map(reader.reads_tensor, bounds)):
        return None
    for size in _sizes(reader, node, axis):
        begin = Fraction(0) if key.lower is None or literal(key.lower) == 0 else _share(reader, key.lower, size)
        end = Fraction(1) if key.upper is None else _share(reader, key.upper, size)
        if begin is None or end is None or end <= begin or end > 1:
            continue
        part = end - begin
        whole = part.numerator == 1 and (begin / part).denominator == 1
        if whole and _may_be_divided(frame, node, axis, part.denominator):
            return _Place(axis, int(begin / part), part.denominator)
    return None


def _may_be_divided(frame: Frame, node: ast.Subscript, axis: int, count: int) -> bool:
    """Return whether an axis may have a size that a number of parts divides; False if it is known to have another."""
    held = frame.seen.value(node.value)
    shape = held.type.shape if isinstance(held, Tensor) else None
    known = shape[axis] if shape is not None and -len(shape) <= axis < len(shape) else None
    return not isinstance(known, int) or known % count == 0


def _sizes(reader: Extents, node: ast.Subscript, axis: int) -> list[Extent]:
    """Return what the size of an axis that a subscript cuts may be called; the last axis that has a key is the last."""
    axes = reader.axes(node.value)
    last = isinstance(node.slice, ast.Tuple) and axis == len(node.slice.elts) - 1
    return [size for at in ((axis, -1) if last else (axis,)) if (size := axis_of(axes, at)) is not None]


def _share(reader: Extents, bound: ast.expr, size: Extent) -> Fraction | None:
    """Return which share of a size a bound is; None if it is no number of equal parts of it."""
    known = reader.size(bound)
    share = None if known is None else known // size
    if share is None or not all(factor.isdecimal() for factor in (*share.factors, *share.divisors)):
        return None
    return Fraction(prod(map(int, share.factors)), prod(map(int, share.divisors)))


def _listed(frame: Frame, node: ast.Subscript) -> Fix | None:
    """Write ``[x[:, i * size : (i + 1) * size] for i in range(n)]`` as a list of the parts of ``F.split``."""
    whole, cut, reader = parent_of(frame, node), _cut(node), Extents(frame)
    match whole:
        case ast.ListComp(
            generators=[
                ast.comprehension(
                    target=ast.Name(id=index),
                    iter=ast.Call(func=ast.Name(id="range"), args=[count], keywords=[]),
                    ifs=[],
                )
            ]
        ) if whole.elt is node and cut is not None:
            axis, key = cut
        case _:
            return None
    one = _step(key, index)
    part, number = None if one is None else reader.size(one), reader.size(count)
    if part is None or number is None or one is None or not reader.reads_tensor(one):
        return None
    if not any(part * number == size for size in _sizes(reader, node, axis)):
        return None
    template = "list({F}.split({x}, num_outputs={count}, axis={axis}))"
    assert isinstance(node.value, ast.Name)
    new = expression(template, F=frame.functions, x=node.value.id, count=frame.concrete(count), axis=axis)
    return rewrite(frame, whole, new, Applicability.UNSAFE)


def _step(key: ast.Slice, index: str) -> ast.expr | None:
    """Return `s` of the slice ``i * s : (i + 1) * s``; None for others."""
    match key.lower:
        case ast.BinOp(left=ast.Name(id=name), op=ast.Mult(), right=size) if name == index:
            pass
        case ast.BinOp(left=size, op=ast.Mult(), right=ast.Name(id=name)) if name == index:
            pass
        case _:
            return None
    text = ast.unparse(size)
    ends = (f"({index} + 1) * {text}", f"{text} * ({index} + 1)", f"{ast.unparse(key.lower)} + {text}")
    return size if key.upper is not None and ast.unparse(key.upper) in ends else None
