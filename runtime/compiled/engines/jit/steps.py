"""Sums of products that are read step by step, such as a recurrent layer's product with its data.

The sums of a step are computed just before the step, so that the processor's cache still holds them when they are read.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

from hybridlint.runtime.compiled.lowering.values import Along, ArrayValue, ArrayView, Map, Product, Sizes, StoredArray
from hybridlint.runtime.compiled.lowering.views import part_seen, view_elements

#: So many numbers at least, which the second cache does not hold.
_MANY = 1 << 18


class ProductSteps:
    """Functions of sums of products, at each index of the first axis."""

    def __init__(self, source: Map) -> None:
        self._source = source
        self._made: dict[int, ArrayValue] = {}

    def at(self, index: int) -> tuple[ArrayValue, bool]:
        """Return the value at an index, and whether it is a new one."""
        fresh = index not in self._made
        if fresh:
            self._made[index] = self._part(index)
        return self._made[index], fresh

    def _part(self, index: int) -> ArrayValue:
        source = self._source
        _, *shape = source.shape
        at = (Along(index), *(Along(0, ((axis, 1),)) for axis in range(len(shape))))
        arguments = tuple(
            _rows(a.source, index * shape[0], shape[0])
            if isinstance(a, ArrayView) and isinstance(a.source, Product)
            else part_seen(a, source.shape, tuple(shape), at)
            for a in source.arguments
        )
        return Map(tuple(shape), source.predicate, source.function, arguments, source.weight)


def _rows(product: Product, first: int, count: int) -> ArrayValue:
    """Return a given number of rows of sums of products, as products of their own."""
    left = product.left
    shape = (count, *left.shape[1:])
    index = (Along(first, ((0, 1),)), *(Along(0, ((axis, 1),)) for axis in range(1, len(shape))))
    return Product(
        (count, product.shape[1]), left=view_elements(left, shape, index), right=product.right, inner=product.inner
    )


def steps_in(
    takers: Mapping[ArrayValue, set[ArrayValue]], roots: Container[ArrayValue], rows: int
) -> dict[ArrayValue, ProductSteps]:
    """Return the values to compute step by step, with their steps.

    `takers` has all values that the roots need, with the values that are computed from them. A step reads all of the
    right operand: it needs at least `rows` rows to be worth that.
    """
    found: dict[ArrayValue, ProductSteps] = {}
    for value, by in takers.items():
        if not isinstance(value, Map) or value in roots or not _is_long(value, rows):
            continue
        looks = [look for taker in by for look in (takers[taker] if isinstance(taker, StoredArray) else [taker])]
        if all(isinstance(look, ArrayView) and not look.index[0].terms for look in looks):
            found[value] = ProductSteps(value)
    return found


def _is_long(value: Map, rows: int) -> bool:
    """Return whether a value finishes sums of products, with rows in order of steps and too large for a cache."""
    if len(value.shape) != 3 or value.shape[1] < rows or value.size < _MANY:
        return False
    sums = [a for a in value.arguments if isinstance(a, ArrayView) and isinstance(a.source, Product)]
    return bool(sums) and all(_one_after_another(view, value.shape) for view in sums)


def _one_after_another(view: ArrayView, shape: Sizes) -> bool:
    """Return whether a view shows sums of products of one batch, with rows in order of steps."""
    merged = (Along(0, ((0, shape[1]), (1, 1))), Along(0, ((2, 1),)))
    return view.shape == shape and view.index == merged
