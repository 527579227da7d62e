"""Values looked at otherwise: parts of them, their axes in another order, other shapes, one after another."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

from hybridlint.runtime.compiled.lowering.elements import keep_value
from hybridlint.runtime.compiled.lowering.values import (
    Along,
    ArrayValue,
    ArrayView,
    CannotLower,
    Flat,
    Given,
    Joined,
    Map,
    Number,
    Product,
    Sizes,
)

#: A view of a function of more functions than this looks at memory instead of repeating them.
_LIGHTEST = 12


def view_elements(source: ArrayValue, shape: Sizes, index: tuple[Along, ...]) -> ArrayValue:
    """Return elements of a value; views of views and of functions are views of what these are made of."""
    if shape == source.shape and all(at == _whole(axis, size) for axis, (at, size) in _axes(index, shape)):
        return source
    if isinstance(source, Number):
        return Number(shape, number=source.number) if shape else source
    if isinstance(source, ArrayView):
        return view_elements(source.source, shape, tuple(_composed(at, index) for at in source.index))
    if isinstance(source, Joined):
        part = _part_of(source, shape, index)
        if part is not None:
            return view_elements(part[0], shape, part[1])
    if isinstance(source, Map) and (source.predicate or _is_cheap_to_view(source, shape)):
        seen: dict[ArrayValue, ArrayValue] = {}
        for a in source.arguments:
            if a not in seen:
                seen[a] = part_seen(a, source.shape, shape, index)
        arguments = tuple(seen[a] for a in source.arguments)
        return Map(shape, source.predicate, source.function, arguments, source.weight)
    source = keep_value(source)
    return ArrayView(shape, source.predicate, source, index)


def _part_of(source: Joined, shape: Sizes, index: tuple[Along, ...]) -> tuple[ArrayValue, tuple[Along, ...]] | None:
    """Return the one part that a view of joined values sees, and how it does; None if it sees several."""
    axis, at = source.axis, index[source.axis]
    ends = [factor * (shape[k] - 1) for k, factor in at.terms]
    least, most = (at.start + sum(bound(0, end) for end in ends) for bound in (min, max))
    start = 0
    for part in source.parts:
        if start <= least and most < start + part.shape[axis]:
            return part, (*index[:axis], Along(at.start - start, at.terms), *index[axis + 1 :])
        start += part.shape[axis]
    return None


def _is_cheap_to_view(source: Map, shape: Sizes) -> bool:
    """Return whether a view may compute a function again: each element once, and no sums of products unfinished."""
    size = prod(shape)
    if source.weight > _LIGHTEST or size > source.size:
        return False
    return size == source.size or not _holds_sums(source)


def _holds_sums(value: ArrayValue) -> bool:
    """Return whether a function of elements finishes sums of products."""
    if isinstance(value, (Map, ArrayView)):
        return any(map(_holds_sums, value.sources))
    return isinstance(value, Product)


def _axes(index: tuple[Along, ...], shape: Sizes) -> Iterator[tuple[int, tuple[Along, int]]]:
    return enumerate(zip(index, shape, strict=True))


def _whole(axis: int, size: int) -> Along:
    return Along() if size == 1 else Along(0, ((axis, 1),))


def _composed(outer: Along, index: tuple[Along, ...]) -> Along:
    start, terms = outer.start, dict[int, int]()
    for axis, factor in outer.terms:
        start += factor * index[axis].start
        for inner, step in index[axis].terms:
            terms[inner] = terms.get(inner, 0) + factor * step
    return Along(start, tuple(sorted(terms.items())))


def part_seen(argument: ArrayValue, whole: Sizes, shape: Sizes, index: tuple[Along, ...]) -> ArrayValue:
    """Return the view of a function's argument that the view of its result asks for."""
    if not argument.shape:
        return argument
    missing = len(whole) - len(argument.shape)
    own = tuple(Along() if size == 1 else index[missing + axis] for axis, size in enumerate(argument.shape))
    return view_elements(argument, shape, own)


def transpose_value(source: ArrayValue, order: Sizes) -> ArrayValue:
    """Return a value with its axes in another order."""
    place = {axis: k for k, axis in enumerate(order)}
    index = tuple(_whole(place[axis], size) for axis, size in enumerate(source.shape))
    return view_elements(source, tuple(source.shape[axis] for axis in order), index)


def repeat_value(source: ArrayValue, shape: Sizes) -> ArrayValue:
    """Return a value repeated to a shape, by numpy's rule."""
    missing = len(shape) - len(source.shape)
    index = tuple(_whole(missing + axis, size) for axis, size in enumerate(source.shape))
    return view_elements(source, shape, index)


def reshape_value(source: ArrayValue, shape: Sizes) -> ArrayValue:
    """Return the elements of a value in their order, in another shape."""
    if shape == source.shape:
        return source
    if isinstance(source, Number):
        return Number(shape, number=source.number)
    if isinstance(source, Flat):
        return reshape_value(source.source, shape)
    groups = regroup_index(source.shape, shape)
    if groups is None:
        return _flattened(source, shape)
    return view_elements(source, shape, groups)


def _flattened(source: ArrayValue, shape: Sizes) -> ArrayValue:
    if (
        isinstance(source, Map)
        and source.weight <= _LIGHTEST
        and all(_keeps_order(a, source) for a in source.arguments)
    ):
        arguments = tuple(a if not a.shape else reshape_value(a, shape) for a in source.arguments)
        return Map(shape, source.predicate, source.function, arguments, source.weight)
    if source.predicate:
        raise CannotLower("truth values in another shape")
    return Flat(shape, source=keep_value(source))


def _keeps_order(argument: ArrayValue, whole: ArrayValue) -> bool:
    """Return whether an argument of a function can be given another shape without a copy."""
    return not argument.shape or (argument.shape == whole.shape and isinstance(argument, (Given, Number, Flat, Map)))


def regroup_index(old: Sizes, new: Sizes) -> tuple[Along, ...] | None:
    """Return the index of a view that splits axes and adds or drops size 1; None if axes merge."""
    index: list[Along] = []
    at = 0
    for size in old:
        if size == 1:
            index.append(Along())
            continue
        terms: list[tuple[int, int]] = []
        left = size
        while left > 1:
            if at == len(new) or left % new[at]:
                return None
            left //= new[at]
            if new[at] != 1:
                terms.append((at, left))
            at += 1
        index.append(Along(0, tuple(terms)))
    return tuple(index)


def join_parts(parts: list[ArrayValue], axis: int) -> ArrayValue:
    """Return values one after another along an axis; parts of parts along the same axis become parts."""
    flat: list[ArrayValue] = []
    for part in parts:
        flat += part.parts if isinstance(part, Joined) and part.axis == axis else [part]
    first = flat[0].shape
    total = sum(part.shape[axis] for part in flat)
    shape = (*first[:axis], total, *first[axis + 1 :])
    return flat[0] if len(flat) == 1 else Joined(shape, parts=tuple(flat), axis=axis)


def rows_of(value: ArrayValue, begin: int, end: int) -> list[ArrayValue]:
    """Return rows of a value: parts of it where these fit, else a view."""
    if begin == end:
        return []
    if isinstance(value, Joined) and value.axis == 0:
        found, at = [], 0
        for part in value.parts:
            rows = part.shape[0]
            found += rows_of(part, max(begin - at, 0), min(end - at, rows)) if at < end and at + rows > begin else []
            at += rows
        return found
    if begin == 0 and end == value.shape[0]:
        return [value]
    index = (Along(begin, ((0, 1),)), *(Along(0, ((k, 1),)) for k in range(1, len(value.shape))))
    return [view_elements(value, (end - begin, *value.shape[1:]), index)]
