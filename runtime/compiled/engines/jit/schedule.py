"""From values to kernels for processors: matrix products get panels, and are finished by functions of elements."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from hybridlint.runtime.compiled.engines.jit.kernels import Convolve, NativeProduct, Pack, PackFilters
from hybridlint.runtime.compiled.engines.jit.narrow_products import narrow_tile
from hybridlint.runtime.compiled.engines.jit.pools import FusedPool, pools_in
from hybridlint.runtime.compiled.engines.jit.product_axes import ProductAxes, axes_of, with_long_rows
from hybridlint.runtime.compiled.engines.jit.steps import steps_in
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.tiles import tile_of
from hybridlint.runtime.compiled.engines.jit.transposed_arrays import TransposedArrays
from hybridlint.runtime.compiled.engines.jit.winograd import Form, form_for, rows_of_block
from hybridlint.runtime.compiled.engines.jit.writer import WIDTH
from hybridlint.runtime.compiled.lowering.elements import bare
from hybridlint.runtime.compiled.lowering.kernels import Access, Loop, Schedule, Tree
from hybridlint.runtime.compiled.lowering.memory import LINE
from hybridlint.runtime.compiled.lowering.places import axes_in, merged_axes, viewed_at, whole
from hybridlint.runtime.compiled.lowering.scheduler import Members, Scheduler
from hybridlint.runtime.compiled.lowering.uses import consumers
from hybridlint.runtime.compiled.lowering.values import (
    ArrayValue,
    ArrayView,
    Flat,
    Map,
    Padded,
    Product,
    Sizes,
    StoredArray,
)

#: The work of a convolution is split into so many parts at most, each with memory of its own.
_MOST_PARTS = 16


def schedule(roots: Sequence[ArrayValue], target: TargetProcessor) -> Schedule:
    """Return the kernels that compute values, each into a result of its own."""
    return _PanelScheduler(roots, target).run()


#: Places so many bytes from each other share lines of a processor's first cache, which holds few of them at once.
_ALIASED = 4096


class _PanelScheduler(Scheduler):
    def __init__(self, roots: Sequence[ArrayValue], target: TargetProcessor) -> None:
        super().__init__(roots)
        self._target = target
        self._panels: dict[tuple[Access, Sizes, int, int], Access] = {}
        self._turned = TransposedArrays(target.lanes, self._new, self._kernels.append)
        # Tiles of rows are filled twice at least.
        self._steps = steps_in(self._consumers, self._roots, 2 * target.tile[0])
        self._pools = pools_in(self._consumers, self._roots)
        self._late = {*self._steps, *(pool.source for pool in self._pools.values())}

    def _arranged(self, loop: Loop) -> Loop:
        return self._turned.read_by(loop)

    def _stands_alone(self, value: ArrayValue) -> bool:
        return value not in self._late and super()._stands_alone(value)

    def _made(self, value: ArrayValue) -> Access:
        if isinstance(value, ArrayView) and bare(value.source) in self._steps:
            at, *index = value.index
            return viewed_at(self._step(bare(value.source), at.start), tuple(index), len(value.shape))
        return super()._made(value)

    def _step(self, value: ArrayValue, index: int) -> Access:
        """Return where a step of a value lies, which is computed when it is asked for first."""
        step, fresh = self._steps[value].at(index)
        if fresh:
            for source, takers in consumers([step]).items():
                self._consumers.setdefault(source, set()).update(takers)
        return self._place(step)

    def _multiply(self, value: Product) -> Access:
        return self._multiplied(value, value, {})

    def _finish(self, value: Map, members: Members) -> Access | None:
        product = self._finished(members)
        if product is not None:
            return self._multiplied(value, product, members)
        pool = self._pools.get(value)
        return None if pool is None else self._pooled(pool)

    def _pooled(self, pool: FusedPool) -> Access | None:
        """Return where a pool of sums of products lies that is computed with them; None if it is not."""
        if pool.source in self._places:
            return None
        members = self._members(pool.source)
        product = self._finished(members)
        if product is None:
            return None
        axes = axes_of(product)
        left = self._place(axes.product.left)
        form = self._form_of(axes, left, self._place(axes.product.right))
        if form is None:
            return self._narrow(pool.source, product, members, left, pool)
        *others, high, wide, filters = axes.pooled(pool, 4).strides
        if form.size % high or form.size % wide or {*others, filters} != {1}:
            return None
        return self._convolved(pool.source, product, members, left, form, pool)

    def _finished_order(self, value: ArrayValue, members: Members) -> list[int] | None:
        product = value if isinstance(value, Product) else self._finished(members)
        return None if product is None else axes_of(product).order

    def _multiplied(self, root: ArrayValue, product: ArrayValue, members: Members) -> Access:
        """Compute sums of products, which `product` is or looks at, and the functions of them that end in `root`."""
        axes = axes_of(product)
        value = axes.product
        batches = len(value.left.shape) - 1 - value.inner
        left = self._place(value.left)
        form = self._form_of(axes, left, self._place(value.right))
        if form is not None:
            return self._convolved(root, product, members, left, form)
        narrow = self._narrow(root, product, members, left)
        if narrow is not None:
            return narrow
        inner, steps = merged_axes(value.left.shape[batches + 1 :], left.steps[batches + 1 :])
        left = axes.rows_of(Access(left.buffer, left.start, (*left.steps[: batches + 1], *steps)), len(inner))
        sizes = axes.sizes
        tile = tile_of(self._target, sizes[-2], sizes[-1])
        panels = axes.batches_of(self._pack(value.right, batches, tile[1] * self._target.lanes))
        tree = self._tree(root, members, product)
        target = self._room(root, order=axes.order)
        leaves = {leaf: axes.seen(place) for leaf, place in tree.leaves.items()}
        kernel = NativeProduct(sizes, inner, left, panels, tile, Tree(root, leaves), product, axes.seen(target))
        self._kernels.append(with_long_rows(kernel, self._target))
        return target

    def _narrow(
        self, root: ArrayValue, product: ArrayValue, members: Members, left: Access, pool: FusedPool | None = None
    ) -> Access | None:
        """Compute sums of products with few columns by vectors along rows; None if these are not worth it."""
        axes = axes_of(product)
        value, order = axes.product, axes.order
        batches = len(value.left.shape) - 1 - value.inner
        long = [k for k, size in enumerate(value.left.shape) if k > batches and size > 1] or [batches + 1]
        inner = tuple(value.left.shape[k] for k in long)
        pooled = None if pool is None else axes.pooled(pool)
        tile = narrow_tile(self._target, axes.sizes[-2], axes.sizes[-1], inner, pooled)
        steps = (*left.steps[: batches + 1], *(left.steps[k] for k in long))
        rows = axes.rows_of(Access(left.buffer, left.start, steps), len(inner))
        by_turns = self._goes_into_squares(root if pool is None else pool.root)
        if tile is None or rows.steps[-1 - len(inner)] != 1 or not (by_turns or self._lies_by_rows(root, axes, pool)):
            return None
        right = self._place(value.right)
        panels = axes.batches_of(Access(right.buffer, right.start, right.steps[:batches]))
        if pooled is not None and panels.steps and panels.steps[-1]:
            return None
        tree = self._tree(root, members, product)
        target = self._room_for(root, pool, order if by_turns else [*order[:-2], order[-1], order[-2]])
        leaves = {leaf: axes.seen(place) for leaf, place in tree.leaves.items()}
        # The inner axes of the right operand stand one place further in front: it has none of rows.
        tree, beside = Tree(root, leaves), (*(right.steps[k - 1] for k in long), right.steps[-1])
        kernel = NativeProduct(
            axes.sizes,
            inner,
            rows,
            panels,
            tile,
            tree,
            product,
            axes.seen(target if pool is None else pool.seen(target)),
            beside,
            pooled,
        )
        self._kernels.append(kernel)
        return target

    def _goes_into_squares(self, value: ArrayValue) -> bool:
        """Return whether a value is the data of a convolution by Winograd's algorithm, which takes channels last."""
        if value in self._wanted or value in self._in_order:
            return False
        for taker in self._consumers[value]:
            if isinstance(taker, (StoredArray, Padded)) and self._goes_into_squares(taker):
                return True
            if isinstance(taker, ArrayView) and any(
                self._may_be_squares(product, taker) for product in self._consumers[taker]
            ):
                return True
        return False

    def _may_be_squares(self, product: ArrayValue, windows: ArrayView) -> bool:
        if not isinstance(product, Product) or product.left is not windows or product.inner != 3:
            return False
        high, wide, channels = windows.shape[-3:]
        far = any(factor != 1 for at in windows.index for _, factor in at.terms)
        return high == wide and not far and form_for(product.shape, wide, channels, self._target) is not None

    def _room_for(self, root: ArrayValue, pool: FusedPool | None, order: Sequence[int]) -> Access:
        """Return memory for a value whose axes follow in this order, or for its pool."""
        if pool is None:
            return self._room(root, order=order)
        return self._room(pool.root, order=[pool.axes[axis] for axis in order])

    def _lies_by_rows(self, root: ArrayValue, axes: ProductAxes, pool: FusedPool | None) -> bool:
        """Return whether the rows of sums of products can lie together in memory, however these are seen there."""
        if min(axis for _, axis, _ in axes.terms[-2:]) < 0:
            return False
        row = axes.order[-2]
        if pool is not None:
            root, row = pool.root, pool.axes[row]
        if root in self._wanted:
            return self._wanted[root].steps[row] == 1
        frame = self._in_frames.get(root)
        if frame is not None:
            return not frame.in_order or axes_in(frame)[row] == len(frame.shape) - 1
        return root not in self._in_order or row == len(root.shape) - 1

    def _gap(self, value: ArrayValue, order: Sequence[int]) -> int:
        """Return the padding of a row: one cache line for left operands whose rows would all map to the same lines."""
        if not order or value.shape[order[-1]] * WIDTH % _ALIASED:
            return 0
        return LINE // WIDTH if self._is_left(value) and self._keeps_rows(value) else 0

    def _is_left(self, value: ArrayValue) -> bool:
        """Return whether a value is the left operand of a product."""
        takers = self._consumers[value]
        return any(
            taker.left is value
            if isinstance(taker, Product)
            else isinstance(taker, (ArrayView, StoredArray, Flat)) and self._is_left(taker)
            for taker in takers
        )

    def _keeps_rows(self, value: ArrayValue) -> bool:
        """Return whether a value has the same rows in all shapes that it is given."""
        return all(
            taker.shape[-1] == value.shape[-1] if isinstance(taker, Flat) else self._keeps_rows(taker)
            for taker in self._consumers[value]
            if isinstance(taker, (Flat, StoredArray))
        )

    def _form_of(self, axes: ProductAxes, left: Access, right: Access) -> Form | None:
        """Return how Winograd's algorithm computes sums of products, if they are a convolution and it is worth it."""
        product = axes.product
        if product.inner != 3 or len(product.shape) != 4 or axes.sizes not in {product.shape, product.shape[1:]}:
            return None
        high, wide, channels = product.left.shape[3:]
        # Windows that lie as close as possible, channels last, and filters that are the same for all of them.
        close = left.steps[3:] == (*left.steps[1:3], 1) and not any(right.steps[:2])
        if high != wide or not close:
            return None
        return form_for(product.shape, wide, channels, self._target)

    def _convolved(
        self,
        root: ArrayValue,
        product: ArrayValue,
        members: Members,
        left: Access,
        form: Form,
        pool: FusedPool | None = None,
    ) -> Access:
        """Compute a convolution by Winograd's algorithm, and the functions of it that end in `root` or in a pool."""
        axes = axes_of(product)
        sizes, channels = axes.product.shape, axes.product.left.shape[-1]
        samples, height, width, filters = sizes
        rows = rows_of_block(form, sizes, channels)
        count = rows * width // form.size
        tile = tile_of(self._target, count, filters)
        panels = self._pack_filters(axes.product.right, tile[1] * self._target.lanes, form)
        tree = self._tree(root, members, product)
        target = self._room_for(root, pool, axes.order)
        shares = min(samples * height // form.size // rows, _MOST_PARTS)
        part = form.width**2 * count * (channels + filters)
        kernel = Convolve(
            sizes=sizes,
            channels=channels,
            form=form,
            rows=rows,
            part=part,
            shares=shares,
            source=Access(left.buffer, left.start, (*left.steps[:3], 1)),
            panels=panels,
            scratch=Access(self._new(part * shares), 0, (1,)),
            tile=tile,
            tree=Tree(root, {leaf: _seen(axes, place) for leaf, place in tree.leaves.items()}),
            product=product,
            target=_seen(axes, target if pool is None else pool.seen(target)),
            pooled=None if pool is None else axes.pooled(pool, 4),
        )
        self._kernels.append(kernel)
        return target

    def _pack_filters(self, right: ArrayValue, width: int, form: Form) -> Access:
        """Return the panels of transformed filters: one set for each element of a square, at a fixed distance."""
        source = self._place(right)
        channels, filters = right.shape[-2:]
        each = channels * width * -(-filters // width)
        key = (source, right.shape, width, form.size)
        if key not in self._panels:
            self._panels[key] = Access(self._new(form.width**2 * each), 0, (each,))
            own = Access(source.buffer, source.start, source.steps[2:])
            self._kernels.append(PackFilters(right.shape[2:], 0, width, own, self._panels[key], form))
        return self._panels[key]

    def _pack(self, right: ArrayValue, batches: int, width: int) -> Access:
        """Return the panels of a right operand, one set for each batch that differs; a step for each batch axis."""
        source = self._place(right)
        key = (source, right.shape, width, 0)
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

    def _finished(self, members: Members) -> ArrayValue | None:
        """Return sums of products, or a view of all of them, that only the members need: these finish them."""
        size = max(member.size for member in members)
        for argument in dict.fromkeys(a for member in members for a in member.sources if a not in members):
            sums = argument.source if isinstance(argument, ArrayView) else argument
            if not isinstance(sums, Product) or sums in self._places or sums.size != size or argument.size != size:
                continue
            alone = argument is sums or self._only_for(sums, {argument})
            if alone and self._only_for(argument, members) and axes_of(argument).complete:
                return argument
        return None


def _seen(axes: ProductAxes, place: Access) -> Access:
    """Return a place with a step for each of four loops; there is none over a single sample."""
    seen = axes.seen(place)
    return Access(seen.buffer, seen.start, (0,) * (4 - len(seen.steps)) + seen.steps)
