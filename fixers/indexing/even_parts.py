"""Fixer of a tensor that is cut into equal parts by its size: ``half = x.shape[1] // 2``, ``x[:, :half]``."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from fractions import Fraction
from math import prod

from hybridlint.analysis.model.events import AttributeRead, CodeContext
from hybridlint.analysis.model.values import Tensor
from hybridlint.fixers.evidence.aliases import part_changes
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, axis_of
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.fixers.evidence.tensors import proved_value
from hybridlint.fixers.indexing.keys import is_ellipsis, literal, whole_slice
from hybridlint.fixers.indexing.proportional_slices import may_be_divided
from hybridlint.fixers.indexing.split_parts import are_all_numbers, of_one_binding, taken_apart
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.fixers.toolkit.rewriting import rewrite, safe_if
from hybridlint.fixers.toolkit.statements import join_fixes
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
    #: Whether the parts are surely as long as the axis.
    exact: bool = False


def even_part(frame: CodeContext, node: ast.Subscript) -> Fix | None:
    """Write ``x[:, :half]`` and ``x[:, half:]`` as the parts of ``F.split(x, num_outputs=2, axis=1)``.

    It is safe if the axis surely has the size of all parts, as that of a layer's output has which the constructor gives
    four times as many units as a part is long. Unsafe where the code rounds: operators cut an axis only into parts of
    one size. None if no bound is a size, or if the function does not take all the parts.
    """
    if frame.functions is None or frame.mode != "legacy" or not isinstance(node.value, ast.Name):
        return None
    listed = _listed(frame, node)
    if listed is not None:
        return listed
    places = _all_places(frame, node)
    if places is None or any(part_changes(frame, cut) for cut in places):
        return None
    (axis,), (count,) = ({getattr(place, name) for place in places.values()} for name in ("axis", "count"))
    template = "{F}.split({x}, num_outputs={count}, axis={axis})"
    split = expression(template, F=frame.functions, x=node.value.id, count=count, axis=axis)
    value = frame.seen.value(node.value)
    exact = all(place.exact for place in places.values())
    safe = safe_if(exact and isinstance(value, Tensor) and proved_value(frame, value, node.value))
    return taken_apart(frame, {cut: place.number for cut, place in places.items()}, split, safe)


def _all_places(frame: CodeContext, node: ast.Subscript) -> dict[ast.Subscript, _Place] | None:
    """Return the cuts of a tensor into equal parts, each with its place; None unless they take all the parts."""
    assert isinstance(node.value, ast.Name)
    cuts = of_one_binding(frame, node, _cuts(frame, node.value.id))
    for places in (_by_shares(frame, node, cuts), _by_steps(frame, node, cuts)):
        count = next(iter(places.values())).count if places else 0
        if places and are_all_numbers([place.number for place in places.values()], count):
            return places
    return None


def _by_shares(frame: CodeContext, node: ast.Subscript, cuts: Sequence[ast.Subscript]) -> dict[ast.Subscript, _Place]:
    """Return the cuts whose bounds are shares of the size of the axis."""
    place = _place(frame, node)
    if place is None:
        return {}
    places = {cut: one for cut in cuts if (one := _place(frame, cut)) is not None}
    return {cut: one for cut, one in places.items() if (one.axis, one.count) == (place.axis, place.count)}


def _by_steps(frame: CodeContext, node: ast.Subscript, cuts: Sequence[ast.Subscript]) -> dict[ast.Subscript, _Place]:
    """Return the cuts at multiples of one size, if the axis has as many times another size as cuts.

    An example is the output of ``nn.Dense(3 * units)`` cut at the width of its input, which the author takes for
    `units`.
    """
    reader, found = SizeInference(frame), [(cut, _cut(cut)) for cut in cuts]
    kept = [(cut, *one) for cut, one in found if one is not None]
    first = next((key.upper for _, _, key in kept if _is_zero(key.lower) and key.upper is not None), None)
    step = None if first is None else reader.size(first)
    count, axes = len(kept), {axis for _, axis, _ in kept}
    if step is None or not step.sized or len(axes) != 1 or count < 2:
        return {}
    (axis,) = axes
    if not any(_has_factor(size, count) for size in _sizes(reader, node, axis)):
        return {}
    places: dict[ast.Subscript, _Place] = {}
    for cut, _, key in kept:
        begin = Fraction(0) if _is_zero(key.lower) else _share(reader, key.lower, step)
        end = Fraction(count) if key.upper is None else _share(reader, key.upper, step)
        if begin is None or end != begin + 1 or begin.denominator != 1 or not 0 <= begin < count:
            return {}
        places[cut] = _Place(axis, int(begin), count, exact=False)
    return places


def _is_zero(bound: ast.expr | None) -> bool:
    return bound is None or literal(bound) == 0


def _has_factor(size: AxisSize, count: int) -> bool:
    """Whether a size is `count` times a setting."""
    number = prod(int(factor) for factor in size.factors if factor.isdecimal())
    return number == count and not size.divisors and not size.sized and len(size.factors) > 1


def even_parts(event: AttributeRead) -> Fix | None:
    """Replace all parts that numpy mode cuts by a size, ``x[:, :half]``, by parts of ``F.np.split``.

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
    return join_fixes("Split the tensor into its parts", fixes)


def _cuts(frame: CodeContext, name: str) -> list[ast.Subscript]:
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


def _place(frame: CodeContext, node: ast.Subscript) -> _Place | None:
    """Return which of how many equal parts a subscript takes, by bounds that read the size of the axis."""
    cut, reader = _cut(node), SizeInference(frame)
    if cut is None:
        return None
    axis, key = cut
    bounds = [bound for bound in (key.lower, key.upper) if bound is not None and literal(bound) != 0]
    if not bounds or not all(reader.reads_tensor(bound) or _is_setting(reader, bound) for bound in bounds):
        return None
    for size in _sizes(reader, node, axis):
        begin = Fraction(0) if key.lower is None or literal(key.lower) == 0 else _share(reader, key.lower, size)
        end = Fraction(1) if key.upper is None else _share(reader, key.upper, size)
        if begin is None or end is None or end <= begin or end > 1:
            continue
        part = end - begin
        whole = part.numerator == 1 and (begin / part).denominator == 1
        if whole and may_be_divided(frame, node.value, axis, part.denominator):
            known = [size, *(one for bound in bounds if (one := reader.size(bound)) is not None)]
            exact = not any(one.divisors for one in known) and not any(map(reader.reads_tensor, bounds))
            return _Place(axis, int(begin / part), part.denominator, exact)
    return None


def _is_setting(reader: SizeInference, bound: ast.expr) -> bool:
    """Whether a bound is computed from a setting that only the constructor stores, and is not a literal."""
    return literal(bound) is None and reader.size(bound) is not None


def _sizes(reader: SizeInference, node: ast.Subscript, axis: int) -> list[AxisSize]:
    """Return the possible sizes of an axis that a subscript cuts. The last axis with a key is the last axis."""
    axes = reader.axes(node.value)
    last = isinstance(node.slice, ast.Tuple) and axis == len(node.slice.elts) - 1
    return [size for at in ((axis, -1) if last else (axis,)) if (size := axis_of(axes, at)) is not None]


def _share(reader: SizeInference, bound: ast.expr | None, size: AxisSize) -> Fraction | None:
    """Return which share of a size a bound is; None if it is no number of equal parts of it."""
    known = None if bound is None else reader.size(bound)
    share = None if known is None else known // size
    if share is None or not all(factor.isdecimal() for factor in (*share.factors, *share.divisors)):
        return None
    return Fraction(prod(map(int, share.factors)), prod(map(int, share.divisors)))


def _listed(frame: CodeContext, node: ast.Subscript) -> Fix | None:
    """Write ``[x[:, i * size : (i + 1) * size] for i in range(n)]`` as a list of the parts of ``F.split``."""
    whole, cut, reader = parent_of(frame, node), _cut(node), SizeInference(frame)
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
