"""Arrays that are turned around for loops whose vectors would pick up their numbers one by one.

Such are filters of one channel each: the step from one channel's number to the next one's is the size of a filter. The
array is seen as a matrix, whose columns then lie together; it is turned again only when it has changed.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod

from hybridlint.runtime.compiled.engines.jit.kernels import KeptArray
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Kernel, Loop, Tree
from hybridlint.runtime.compiled.lowering.places import whole
from hybridlint.runtime.compiled.lowering.values import Given, Sizes

#: A loop that reads each number so many times is worth it.
_READ_AGAIN = 8


class TransposedArrays:
    """The arrays that the loops of a schedule read turned around, each with its kernel, which is told to `add`."""

    def __init__(self, lanes: int, new: Callable[[int], Buffer], add: Callable[[Kernel], None]) -> None:
        self._lanes, self._new, self._add = lanes, new, add
        #: By the array and the number of its columns.
        self._places: dict[tuple[Buffer, int], Access] = {}

    def read_by(self, loop: Loop) -> Loop:
        """Return a loop that reads turned around what it had better read so."""
        long = [axis for axis, size in enumerate(loop.sizes) if size > 1]
        if not long:
            return loop
        along = min(long, key=lambda axis: abs(loop.target.steps[axis]))
        leaves = {value: self._seen(leaf, loop.sizes, along) for value, leaf in loop.tree.leaves.items()}
        return Loop(loop.sizes, Tree(loop.tree.root, leaves), loop.target)

    def _seen(self, leaf: Access, sizes: Sizes, along: int) -> Access:
        """Return where the numbers of a leaf lie for vectors along an axis."""
        rows, columns = sizes[along], leaf.steps[along]
        alone = all(axis == along or size == 1 or not leaf.steps[axis] for axis, size in enumerate(sizes))
        array = leaf.buffer.given is not None and leaf.buffer.dtype == "float32"
        column = columns > 1 and leaf.start < columns and rows * columns == leaf.buffer.size
        if not (alone and array and column and rows >= self._lanes and prod(sizes) >= _READ_AGAIN * rows):
            return leaf
        steps = tuple(int(axis == along) for axis in range(len(sizes)))
        return Access(self._turned(leaf.buffer, rows, columns).buffer, leaf.start * rows, steps)

    def _turned(self, array: Buffer, rows: int, columns: int) -> Access:
        key = (array, columns)
        if key not in self._places:
            source, target = Access(array, 0, (1, columns)), whole(self._new(array.size), (columns, rows))
            given = Given((columns, rows))
            self._add(KeptArray(Loop(given.shape, Tree(given, {given: source}), target), source))
            self._places[key] = target
        return self._places[key]
