"""Functions of all elements of rectangles of a value, such as pools, computed together with the value."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from math import prod

from hybridlint.runtime.compiled.lowering.kernels import Access
from hybridlint.runtime.compiled.lowering.values import ArrayValue, ArrayView, Map, Number, Sizes, StoredArray

#: A rectangle has so many elements at most.
_MOST = 16


@dataclass(frozen=True, slots=True)
class FusedPool:
    """Functions of rectangles of `source`, with `strides` elements along each axis; `root` has one value for each.

    `parts` are the views that these functions read, each with its position in a rectangle; `axes` has the root's axis
    for each of the source's.
    """

    source: Map
    root: Map
    strides: Sizes
    axes: Sizes
    parts: Mapping[ArrayView, Sizes]

    def seen(self, place: Access) -> Access:
        """Return where the root lies with a step for each of the source's axes."""
        return Access(place.buffer, place.start, tuple(place.steps[axis] for axis in self.axes))


def pools_in(takers: Mapping[ArrayValue, set[ArrayValue]], roots: Container[ArrayValue]) -> dict[ArrayValue, FusedPool]:
    """Return the pools of values that nothing else needs, by the value that ends each pool.

    `takers` has all values that the roots need, with the values that are computed from them.
    """
    pools = (_pool_of(value, takers, roots) for value in takers if isinstance(value, Map) and value not in roots)
    return {pool.root: pool for pool in pools if pool is not None}


def _pool_of(
    source: Map, takers: Mapping[ArrayValue, set[ArrayValue]], roots: Container[ArrayValue]
) -> FusedPool | None:
    views = [
        look for taker in takers[source] for look in (takers[taker] if isinstance(taker, StoredArray) else [taker])
    ]
    if not 1 < len(views) <= _MOST or source.predicate:
        return None
    kinds: set[tuple[Sizes, Sizes]] = set()
    places: dict[ArrayView, Sizes] = {}
    for view in views:
        seen = _seen(view, source) if isinstance(view, ArrayView) else None
        if seen is None or not isinstance(view, ArrayView):
            return None
        kinds.add(seen[:2])
        places[view] = seen[2]
    (strides, axes), *others = kinds
    if others or len(set(places.values())) < prod(strides):
        return None
    root = _end(places, takers, roots)
    parts = dict(sorted(places.items(), key=lambda part: part[1]))
    return None if root is None else FusedPool(source, root, strides, axes, parts)


def _seen(view: ArrayView, source: Map) -> tuple[Sizes, Sizes, Sizes] | None:
    """Return how a view shows one element of each rectangle: the sizes of these, the view's axes, and the place."""
    if len(view.shape) != len(source.shape):
        return None
    taken = {axis for at in view.index for axis, _ in at.terms}
    left = [axis for axis in range(len(view.shape)) if axis not in taken]
    strides, axes = [], []
    for at, size in zip(view.index, source.shape, strict=True):
        axis, factor = at.terms[0] if at.terms else (left.pop(0), size)
        stride, rest = divmod(size, view.shape[axis])
        if len(at.terms) > 1 or rest or factor != stride or at.start >= stride:
            return None
        strides.append(stride)
        axes.append(axis)
    if sorted(axes) != list(range(len(axes))):
        return None
    return tuple(strides), tuple(axes), tuple(at.start for at in view.index)


def _end(
    places: Mapping[ArrayView, Sizes], takers: Mapping[ArrayValue, set[ArrayValue]], roots: Container[ArrayValue]
) -> Map | None:
    """Return the last of the functions that need these views and numbers alone; None if others need more than it."""
    known: set[ArrayValue] = set(places)
    waiting = [taker for view in places for taker in takers[view]]
    while waiting:
        value = waiting.pop()
        if value in known or not isinstance(value, Map):
            continue
        if all(source in known or isinstance(source, Number) for source in value.sources):
            known.add(value)
            waiting += takers[value]
    ends = [value for value in known if value in roots or any(taker not in known for taker in takers[value])]
    if len(ends) != 1 or not isinstance(ends[0], Map) or ends[0].predicate:
        return None
    return ends[0]
