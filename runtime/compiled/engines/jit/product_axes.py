"""The axes of sums of products, as a view of them shows them: batches, rows and columns in its terms."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from hybridlint.runtime.compiled.engines.jit.kernels import NativeProduct, Pooled
from hybridlint.runtime.compiled.engines.jit.pools import FusedPool
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.tiles import tile_of
from hybridlint.runtime.compiled.lowering.kernels import Access, Tree
from hybridlint.runtime.compiled.lowering.values import Along, ArrayValue, ArrayView, Product, Sizes


@dataclass(frozen=True)
class ProductAxes:
    """How a value reads sums of products: for each axis of the product, a position in the value's axes."""

    product: Product
    shape: Sizes
    index: tuple[Along, ...]

    @cached_property
    def terms(self) -> list[tuple[int, int, int]]:
        """The loops over batches, rows and columns: axis of the product, axis of the value, the factor between them."""
        found: list[tuple[int, int, int]] = []
        for axis, at in enumerate(self.index):
            own = [(axis, *term) for term in at.terms if self.shape[term[0]] > 1]
            is_batch = axis < len(self.index) - 2
            found += own if own or is_batch else [(axis, -1, 0)]
        return found

    @property
    def complete(self) -> bool:
        """Whether each element of the product is shown once, and its columns are one axis."""
        columns = [term for term in self.terms if term[0] == len(self.index) - 1]
        seen = [term[1] for term in self.terms if term[1] >= 0]
        wide = {axis for axis, size in enumerate(self.shape) if size > 1}
        whole = len(seen) == len(set(seen)) and set(seen) == wide and not any(at.start for at in self.index)
        return whole and len(columns) == 1 and columns[0][2] in {0, 1}

    @property
    def sizes(self) -> Sizes:
        """The sizes of the loops."""
        return tuple(self.shape[axis] if axis >= 0 else 1 for _, axis, _ in self.terms)

    @property
    def order(self) -> list[int]:
        """The axes of the value in the order of the loops."""
        own = [axis for _, axis, _ in self.terms if axis >= 0]
        return [*(axis for axis in range(len(self.shape)) if axis not in own), *own]

    def seen(self, place: Access) -> Access:
        """Return a place of the value with a step for each loop."""
        steps = tuple(place.steps[axis] if axis >= 0 else 0 for _, axis, _ in self.terms)
        return Access(place.buffer, place.start, steps)

    def pooled(self, pool: FusedPool, loops: int | None = None) -> Pooled:
        """Return the pool of the value as a pool of a kernel's results.

        Extra loops come before the loops of the axes.
        """

        def seen(numbers: Sizes, missing: int) -> Sizes:
            own = tuple(numbers[axis] if axis >= 0 else missing for _, axis, _ in self.terms)
            return (missing,) * ((loops or len(own)) - len(own)) + own

        return Pooled(seen(pool.strides, 1), pool.root, {value: seen(place, 0) for value, place in pool.parts.items()})

    def rows_of(self, left: Access, inner: int) -> Access:
        """Return the place of the left operand with a step for each loop over batches and rows, then inner axes."""
        outer = self._steps(left.steps[:-inner])
        return Access(left.buffer, left.start, (*outer, *left.steps[-inner:]))

    def batches_of(self, panels: Access) -> Access:
        """Return the place of panels with a step for each loop but the last two, 0 for split rows."""
        return Access(panels.buffer, panels.start, self._steps((*panels.steps, 0))[:-1])

    def _steps(self, steps: Sizes) -> Sizes:
        return tuple(steps[axis] * factor for axis, _, factor in self.terms if axis < len(steps))


def axes_of(value: ArrayValue) -> ProductAxes:
    """Return the axes of sums of products, or of a view of them."""
    if isinstance(value, Product):
        return ProductAxes(value, value.shape, tuple(Along(0, ((k, 1),)) for k in range(len(value.shape))))
    assert isinstance(value, ArrayView)
    assert isinstance(value.source, Product)
    return ProductAxes(value.source, value.shape, value.index)


def with_long_rows(kernel: NativeProduct, target: TargetProcessor) -> NativeProduct:
    """Return a kernel whose last batch axes are rows too, where all that it reads and writes allows it."""
    while len(kernel.sizes) > 2 and not kernel.panels.steps[-1] and _continues(kernel):
        at = len(kernel.sizes) - 3
        sizes = (*kernel.sizes[:at], kernel.sizes[at] * kernel.sizes[at + 1], kernel.sizes[-1])
        leaves = {value: _without(leaf, at) for value, leaf in kernel.tree.leaves.items()}
        kernel = replace(
            kernel,
            sizes=sizes,
            left=_without(kernel.left, at),
            panels=_without(kernel.panels, at),
            tree=Tree(kernel.tree.root, leaves),
            target=_without(kernel.target, at),
            tile=tile_of(target, sizes[-2], sizes[-1], kernel.tile[1]),
        )
    return kernel


def _continues(kernel: NativeProduct) -> bool:
    """Return whether the rows of the next batch follow those of a batch everywhere."""
    at, rows = len(kernel.sizes) - 3, kernel.sizes[-2]

    def accesses() -> Iterator[Access]:
        yield kernel.left
        yield kernel.target
        yield from kernel.tree.leaves.values()

    return all(access.steps[at] == access.steps[at + 1] * rows for access in accesses())


def _without(access: Access, axis: int) -> Access:
    return Access(access.buffer, access.start, (*access.steps[:axis], *access.steps[axis + 1 :]))
