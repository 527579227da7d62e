"""From values to kernels for processors: matrix products get panels, and are finished by functions of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hybridlint.runtime.compiled.engines.jit.kernels import Multiply, Pack
from hybridlint.runtime.compiled.engines.jit.product_axes import axes_of, with_long_rows
from hybridlint.runtime.compiled.engines.jit.target import Target
from hybridlint.runtime.compiled.engines.jit.tiles import tile_of
from hybridlint.runtime.compiled.engines.jit.writer import WIDTH
from hybridlint.runtime.compiled.groups.kernels import Access, Schedule, Tree
from hybridlint.runtime.compiled.groups.memory import LINE
from hybridlint.runtime.compiled.groups.places import merged_axes, whole
from hybridlint.runtime.compiled.groups.scheduler import Members, Scheduler
from hybridlint.runtime.compiled.groups.values import Flat, Map, Product, Sizes, Stored, Value, View


def schedule(roots: Sequence[Value], target: Target) -> Schedule:
    """Return the kernels that compute values, each into a result of its own."""
    return _PanelScheduler(roots, target).run()


#: Places so many bytes from each other share lines of a processor's first cache, which holds few of them at once.
_ALIASED = 4096


class _PanelScheduler(Scheduler):
    def __init__(self, roots: Sequence[Value], target: Target) -> None:
        super().__init__(roots)
        self._target = target
        self._panels: dict[tuple[Access, Sizes, int], Access] = {}

    def _multiply(self, value: Product) -> Access:
        return self._multiplied(value, value, {})

    def _finish(self, value: Map, members: Members) -> Access | None:
        product = self._finished(members)
        return None if product is None else self._multiplied(value, product, members)

    def _finished_order(self, value: Value, members: Members) -> list[int] | None:
        product = value if isinstance(value, Product) else self._finished(members)
        return None if product is None else axes_of(product).order

    def _multiplied(self, root: Value, product: Value, members: Members) -> Access:
        """Compute sums of products, which `product` is or looks at, and the functions of them that end in `root`."""
        axes = axes_of(product)
        value = axes.product
        batches = len(value.left.shape) - 1 - value.inner
        left = self._place(value.left)
        inner, steps = merged_axes(value.left.shape[batches + 1 :], left.steps[batches + 1 :])
        left = axes.rows_of(Access(left.buffer, left.start, (*left.steps[: batches + 1], *steps)), len(inner))
        sizes = axes.sizes
        tile = tile_of(self._target, sizes[-2], sizes[-1])
        panels = axes.batches_of(self._pack(value.right, batches, tile[1] * self._target.lanes))
        tree = self._tree(root, members, product)
        target = self._room(root, order=axes.order)
        leaves = {leaf: axes.seen(place) for leaf, place in tree.leaves.items()}
        kernel = Multiply(sizes, inner, left, panels, tile, Tree(root, leaves), product, axes.seen(target))
        self._kernels.append(with_long_rows(kernel, self._target))
        return target

    def _gap(self, value: Value, order: Sequence[int]) -> int:
        """Return a line of the cache for rows of products' left operands that would all lie on the same lines."""
        if not order or value.shape[order[-1]] * WIDTH % _ALIASED:
            return 0
        return LINE // WIDTH if self._is_left(value) and self._keeps_rows(value) else 0

    def _is_left(self, value: Value) -> bool:
        """Return whether a value is the left operand of a product."""
        takers = self._consumers[value]
        return any(
            taker.left is value
            if isinstance(taker, Product)
            else isinstance(taker, (View, Stored, Flat)) and self._is_left(taker)
            for taker in takers
        )

    def _keeps_rows(self, value: Value) -> bool:
        """Return whether a value has the same rows in all shapes that it is given."""
        return all(
            taker.shape[-1] == value.shape[-1] if isinstance(taker, Flat) else self._keeps_rows(taker)
            for taker in self._consumers[value]
            if isinstance(taker, (Flat, Stored))
        )

    def _pack(self, right: Value, batches: int, width: int) -> Access:
        """Return the panels of a right operand, one set for each batch that differs; a step for each batch axis."""
        source = self._place(right)
        key = (source, right.shape, width)
        found = self._panels.get(key)
        if found is None:
            inner, columns = right.shape[batches:-1], right.shape[-1]
            # A batch axis along which the operand is repeated has one set of panels.
            own = tuple(1 if not source.steps[k] else right.shape[k] for k in range(batches))
            each = prod(inner) * width * -(-columns // width)
            sets = whole(self._new(prod(own) * each), (*own, each))
            steps = tuple(0 if n == 1 else s for n, s in zip(own, sets.steps, strict=False))
            target = Access(sets.buffer, 0, steps)
            self._kernels.append(Pack((*own, *inner, columns), batches, width, source, target))
            found = self._panels[key] = target
        return found

    def _finished(self, members: Members) -> Value | None:
        """Return sums of products, or a view of all of them, that only the members need: these finish them."""
        size = max(member.size for member in members)
        for argument in dict.fromkeys(a for member in members for a in member.sources if a not in members):
            sums = argument.source if isinstance(argument, View) else argument
            if not isinstance(sums, Product) or sums in self._places or sums.size != size or argument.size != size:
                continue
            alone = argument is sums or self._only_for(sums, {argument})
            if alone and self._only_for(argument, members) and axes_of(argument).complete:
                return argument
        return None
