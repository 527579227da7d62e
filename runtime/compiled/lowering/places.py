"""Where values lie in memory that are views of others, stand in frames, or are walked through axis by axis."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer
from hybridlint.runtime.compiled.lowering.values import Along, ArrayValue, ArrayView, Padded, Sizes, StoredArray
from hybridlint.runtime.compiled.lowering.views import regroup_index


def whole(buffer: Buffer, shape: Sizes) -> Access:
    """Return all elements of a buffer in their order."""
    steps = [1] * len(shape)
    for axis in range(len(shape) - 1, 0, -1):
        steps[axis - 1] = steps[axis] * shape[axis]
    return Access(buffer, 0, tuple(steps))


def reshaped_at(place: Access, old: Sizes, new: Sizes) -> Access | None:
    """Return where elements in the shape `old` lie in the shape `new`; None if no steps tell it."""
    sizes, steps = merged_axes(old, place.steps)
    index = regroup_index(sizes, new)
    return None if index is None else viewed_at(Access(place.buffer, place.start, steps), index, len(new))


def viewed_at(place: Access, index: tuple[Along, ...], rank: int) -> Access:
    """Return where a view lies, given where its source does."""
    start, steps = place.start, [0] * rank
    for at, step in zip(index, place.steps, strict=True):
        start += at.start * step
        for axis, factor in at.terms:
            steps[axis] += factor * step
    return Access(place.buffer, start, tuple(steps))


def shown_at(place: Access, view: ArrayView) -> Access | None:
    """Return the place of a view's source, given the view's place; None if partial or irregular.

    `viewed_at` is the inverse.
    """
    steps, shown = [0] * len(view.index), 0
    for axis, at in enumerate(view.index):
        length = 1
        for own, factor in sorted(at.terms, key=lambda term: term[1]):
            if view.shape[own] == 1:
                continue
            steps[axis] = steps[axis] or place.steps[own]
            if factor != length or place.steps[own] != steps[axis] * length:
                return None
            length *= view.shape[own]
            shown += 1
        if at.start or length != view.source.shape[axis]:
            return None
    once = shown == sum(size > 1 for size in view.shape)
    return Access(place.buffer, place.start, tuple(steps)) if once else None


def same_elements(one: Access, other: Access, shape: Sizes) -> bool:
    """Return whether a value of a shape has the same place twice, ignoring steps along axes of size 1."""
    steps = zip(one.steps, other.steps, shape, strict=True)
    return one.buffer == other.buffer and one.start == other.start and all(a == b or n == 1 for a, b, n in steps)


def in_memory_order(place: Access, shape: Sizes, order: Sequence[int]) -> bool:
    """Return whether axes lie in memory in an order, outermost first."""
    steps = [abs(place.steps[axis]) for axis in order if shape[axis] > 1]
    return all(outer > inner for outer, inner in pairwise(steps))


def repeated_at(place: Access, shape: Sizes, domain: Sizes) -> Access:
    """Return where a value lies for each point of a domain to which it is repeated."""
    own = tuple(0 if size == 1 else step for size, step in zip(shape, place.steps, strict=True))
    return Access(place.buffer, place.start, (0,) * (len(domain) - len(shape)) + own)


def without_permutations(value: ArrayValue) -> ArrayValue:
    """Return the value whose axes are only in another order here."""
    while isinstance(value, StoredArray) or (isinstance(value, ArrayView) and _permutation(value) is not None):
        value = value.sources[0]
    return value


def _permutation(view: ArrayView) -> list[int] | None:
    """Return the axis of a view for each axis of its source, if it shows all elements; else None."""
    terms = [at.terms[0] for at in view.index if len(at.terms) == 1 and at.terms[0][1] == 1 and not at.start]
    axes = [axis for axis, _ in terms]
    whole = len(set(axes)) == len(view.index) == len(view.shape)
    return axes if whole and view.size == view.source.size else None


def axes_in(frame: Padded) -> list[int]:
    """Return the axis of a padded value for each axis of the value inside it, in whatever order that is viewed."""
    axes = list(range(len(frame.shape)))
    seen = frame.source
    while isinstance(seen, (StoredArray, ArrayView)):
        shown = _permutation(seen) if isinstance(seen, ArrayView) else None
        axes = axes if shown is None else [axes[axis] for axis in shown]
        seen = seen.source
    return axes


def inside_of(place: Access, value: Padded) -> Access:
    """Return the part of a padded value's memory within the frame."""
    start = place.start + sum(b * s for b, s in zip(value.before, place.steps, strict=True))
    return Access(place.buffer, start, place.steps)


def merged_axes(sizes: Sizes, steps: Sizes) -> tuple[Sizes, Sizes]:
    """Return the sizes and steps of axes after merging neighbours that one loop with one step can walk."""
    rows: list[tuple[int, int]] = []
    for size, step in zip(sizes, steps, strict=True):
        if rows and rows[-1][1] == step * size:
            rows[-1] = (rows[-1][0] * size, step)
        elif size > 1:
            rows.append((size, step))
    rows = rows or [(1, 0)]
    return tuple(size for size, _ in rows), tuple(step for _, step in rows)


@dataclass(frozen=True, slots=True)
class LoopNest:
    """Axes of a loop after merging: sizes, and for each access its steps."""

    sizes: Sizes
    steps: tuple[Sizes, ...]


def merge_axes(
    sizes: Sizes, accesses: Sequence[Access], order: Sequence[int], apart: Sizes = ()
) -> tuple[LoopNest, Sizes]:
    """Return axes in an order, those merged that every access walks through as if they were one.

    Axes in `apart` are not merged with others. Also returns which of the new axes stem from them.
    """
    rows: list[tuple[int, tuple[int, ...], bool]] = []
    for axis in order:
        size, steps = sizes[axis], tuple(access.steps[axis] for access in accesses)
        if size == 1:
            continue
        if rows:
            outer, outer_steps, outer_apart = rows[-1]
            joins = all(a == b * size for a, b in zip(outer_steps, steps, strict=True))
            if joins and outer_apart == (axis in apart):
                rows[-1] = (outer * size, steps, outer_apart)
                continue
        rows.append((size, steps, axis in apart))
    nest = LoopNest(tuple(r[0] for r in rows), tuple(tuple(r[1][k] for r in rows) for k in range(len(accesses))))
    return nest, tuple(k for k, row in enumerate(rows) if row[2])


def by_steps(access: Access) -> list[int]:
    """Return the axes of an access, the largest step first."""
    return sorted(range(len(access.steps)), key=lambda axis: (-abs(access.steps[axis]), axis))
