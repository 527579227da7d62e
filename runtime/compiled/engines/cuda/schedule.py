"""From values to kernels for GPUs: matrix products in memory, and the remaining loops fused by rows."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hybridlint.runtime.compiled.engines.cuda.kernels import BorderFrame, Gather, MatrixProduct
from hybridlint.runtime.compiled.engines.cuda.rows import in_rows
from hybridlint.runtime.compiled.lowering.elements import map_elements
from hybridlint.runtime.compiled.lowering.gathered import Gathered
from hybridlint.runtime.compiled.lowering.kernels import Access, Fold, Loop, Schedule, Tree
from hybridlint.runtime.compiled.lowering.places import merged_axes, whole
from hybridlint.runtime.compiled.lowering.scheduler import Members, Scheduler
from hybridlint.runtime.compiled.lowering.values import (
    ArrayValue,
    ArrayView,
    Flat,
    Map,
    Padded,
    Product,
    Reduce,
    Sizes,
    StoredArray,
)

#: So many functions of small arrays are computed again for each element.
_LIGHT = 8
#: Of more products than this the sums are cuBLAS's. Fewer take less time than the launch of a kernel, and a generated
#: one can be captured. No device has confirmed the number yet.
MOST_FOLDED = 1 << 22


def schedule(roots: Sequence[ArrayValue], dtypes: Sequence[str]) -> Schedule:
    """Return the kernels that compute values, each into a result of its own with this element type."""
    return _MatrixScheduler(roots, dtypes).in_rows()


class _MatrixScheduler(Scheduler):
    def in_rows(self) -> Schedule:
        """Return the kernels, those with folds put together."""
        self.run()
        kernels = in_rows(self._kernels, self._new)
        return Schedule(tuple(kernels), tuple(self._buffers), self._tables)

    def _joins(self, argument: ArrayValue, root: ArrayValue, members: Members) -> bool:
        """Return whether an argument is computed in the loop: also what is small, and so computed again and again.

        A launch takes longer than some functions of what caches hold. What rows combine is computed once a row.
        """
        if super()._joins(argument, root, members):
            return True
        light = isinstance(argument, Map) and argument not in self._places and argument.weight <= _LIGHT
        return light and self._only_for(argument, members) and not _combines(argument)

    def _framed(self, value: Padded, order: Sequence[int] | None = None) -> Access:
        axes = range(len(value.shape)) if order is None or value.in_order else order
        place = self._wanted.get(value) or self._memory(value.shape, axes, self._dtype(value))
        if value.source.shape != value.shape:
            self._kernels.append(BorderFrame(value.shape, value.before, value.source.shape, value.number, place))
        return place

    def _finish(self, value: Map, members: Members) -> Access | None:
        return None

    def _finished_order(self, value: ArrayValue, members: Members) -> list[int] | None:
        return list(range(len(value.shape))) if isinstance(value, Product) else None

    def _multiply(self, value: Product) -> Access:
        count = value.size * prod(value.left.shape[len(value.shape) - 1 :])
        return self._folded(value) if count <= MOST_FOLDED else self._by_library(value)

    def _folded(self, value: Product) -> Access:
        """Compute sums of products by a generated kernel, from where the operands are, without copies of windows."""
        left, right, target = self._place(value.left), self._place(value.right), self._room(value)
        outer, inner = len(value.shape) - 1, value.left.shape[len(value.shape) - 1 :]
        along = tuple(range(outer + 1, outer + 1 + len(inner)))
        one, other = ArrayValue((*value.shape, *inner)), ArrayValue((*value.shape, *inner))
        leaves = {
            one: Access(left.buffer, left.start, (*left.steps[:outer], 0, *left.steps[outer:])),
            other: Access(
                right.buffer, right.start, (*right.steps[: outer - 1], 0, right.steps[-1], *right.steps[outer - 1 : -1])
            ),
        }
        tree = Tree(map_elements("multiply", one, other), leaves)
        place = Access(target.buffer, target.start, (*target.steps, *(0 for _ in inner)))
        self._kernels.append(Fold(one.shape, along, "add", tree, place))
        return target

    def _by_library(self, value: Product) -> Access:
        """Have cuBLAS compute sums of products, of matrices as it wants them."""
        left, right = self._place(value.left), self._place(value.right)
        rank = len(value.shape)
        batches = rank - 2
        # Along the last batches the right operand is often the same: these are rows of one product then.
        apart = batches
        while apart and not right.steps[apart - 1]:
            apart -= 1
        shape, filters = value.left.shape, value.right.shape
        if _matrix(left, shape, apart, (apart, batches + 1)) is None:
            # It is copied anyway: in the order in which the right operand lies, which need not be copied then.
            order = sorted(range(len(filters) - 1 - batches), key=lambda k: -right.steps[batches + k])
            shape, left = _inner(shape, left, batches + 1, order)
            filters, right = _inner(filters, right, batches, order)
        one = self._operand(value.left, shape, left, apart, (apart, batches + 1))
        other = self._operand(value.right, filters, right, apart, (batches, len(filters) - 1))
        sizes = (*shape[:apart], prod(shape[apart : batches + 1]), value.shape[-1])
        inner = prod(shape[batches + 1 :])
        target = self._room(value, order=range(rank))
        seen = _matrix(target, value.shape, apart, (apart, rank - 1))
        if seen is not None and seen.steps[-1] <= 1:
            self._kernels.append(MatrixProduct(sizes, inner, one, other, seen))
            return target
        between = whole(self._new(value.size, dtype=self._dtype(value)), value.shape)
        product = _matrix(between, value.shape, apart, (apart, rank - 1))
        assert product is not None
        self._kernels.append(MatrixProduct(sizes, inner, one, other, product))
        self._kernels.append(Loop(value.shape, Tree(value, {value: between}), target))
        return target

    def _gather(self, value: Gathered) -> Access:
        """Return where rows lie, after one launch that reads them at their positions."""
        positions, table = self._place(value.positions), self._place(value.table)
        target, inner = self._room(value), len(value.table.shape) - 1
        places = Access(positions.buffer, positions.start, (*positions.steps, *(0 for _ in range(inner))))
        rows = Access(table.buffer, table.start, (*(0 for _ in positions.steps), *table.steps[1:]))
        self._kernels.append(Gather(value.shape, value.table.shape[0], table.steps[0], places, rows, target))
        return target

    def _operand(self, value: ArrayValue, shape: Sizes, place: Access, apart: int, cuts: tuple[int, int]) -> Access:
        """Return where the matrices of an operand lie, after a copy if they do not lie as cuBLAS wants it."""
        found = _matrix(place, shape, apart, cuts)
        if found is None:
            found = _matrix(self._copied(value, shape, place, cuts[0]), shape, apart, cuts)
            assert found is not None
        return found

    def _copied(self, value: ArrayValue, shape: Sizes, place: Access, batches: int) -> Access:
        """Return a copy in order. Batch axes along which a value is repeated are not."""
        own = tuple(
            1 if axis < batches and not step else size
            for axis, (size, step) in enumerate(zip(shape, place.steps, strict=True))
        )
        copy = whole(self._new(prod(own), dtype=self._dtype(value)), own)
        self._kernels.append(Loop(own, Tree(value, {value: place}), copy))
        steps = tuple(0 if size == 1 else step for size, step in zip(own, copy.steps, strict=True))
        return Access(copy.buffer, copy.start, steps)


def _matrix(place: Access, shape: Sizes, apart: int, cuts: tuple[int, int]) -> Access | None:
    """Return a place with steps for the first batches, for rows and for columns, which begin at the axes `cuts`.

    None if several axes are no rows or columns with one step, or if elements are next to each other in neither.
    """
    first, last = cuts
    rows = _step(shape[first:last], place.steps[first:last])
    columns = _step(shape[last:], place.steps[last:])
    if rows is None or columns is None:
        return None
    if prod(shape[first:last]) > 1 and prod(shape[last:]) > 1 and 1 not in {rows, columns}:
        return None
    return Access(place.buffer, place.start, (*place.steps[:apart], rows, columns))


def _inner(shape: Sizes, place: Access, first: int, order: Sequence[int]) -> tuple[Sizes, Access]:
    """Return a shape and a place with the axes from `first` on in another order, and later axes unchanged."""
    last = first + len(order)
    axes = [*range(first), *(first + k for k in order), *range(last, len(shape))]
    steps = tuple(place.steps[axis] for axis in axes)
    return tuple(shape[axis] for axis in axes), Access(place.buffer, place.start, steps)


def _combines(value: ArrayValue) -> bool:
    """Return whether one loop computes a function of elements from results of rows or products."""
    waiting = [value]
    while waiting:
        found = waiting.pop()
        if isinstance(found, (Reduce, Product)):
            return True
        # Functions that are only looked at are stored, and so are no part of the loop.
        looks = isinstance(found, (ArrayView, StoredArray, Flat))
        if looks or isinstance(found, Map):
            waiting += [source for source in found.sources if not looks or not isinstance(source, Map)]
    return False


def _step(sizes: Sizes, steps: Sizes) -> int | None:
    """Return the step of axes that are one."""
    _, found = merged_axes(sizes, steps)
    return found[0] if len(found) == 1 else None
