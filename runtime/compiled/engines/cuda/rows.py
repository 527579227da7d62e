"""Folds and loops over the rows of one domain, fused: a thread block runs all of them on its rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import prod

from hybridlint.runtime.compiled.engines.cuda.blocks import Shape, shape_of
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Fold, Kernel, Loop, Tree
from hybridlint.runtime.compiled.lowering.places import by_steps, whole
from hybridlint.runtime.compiled.lowering.values import ArrayValue, Sizes

#: Rows whose elements stay in shared memory take so many numbers of float32 together, of the 48 KiB that a block has.
_MOST_KEPT = 8192
#: Rows longer than this are only taken together where there are so many of them that the whole GPU has work.
_LONG, _MANY = 4096, 64
#: A row is combined in at most so many pieces.
_MOST_PIECES = 1024


@dataclass(frozen=True, slots=True)
class Domain:
    """Sizes of axes longer than 1, and the axes along a row, which folds combine."""

    sizes: Sizes
    along: Sizes

    @staticmethod
    def of(kernel: Fold) -> Domain:
        """Return the domain of a fold."""
        wide = [axis for axis, size in enumerate(kernel.sizes) if size != 1]
        along = tuple(k for k, axis in enumerate(wide) if axis in kernel.axes)
        return Domain(tuple(kernel.sizes[axis] for axis in wide), along)

    @property
    def across(self) -> Sizes:
        """The axes of the rows."""
        return tuple(axis for axis in range(len(self.sizes)) if axis not in self.along)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return prod(self.sizes[axis] for axis in self.across)

    @property
    def length(self) -> int:
        """The number of elements of a row."""
        return prod(self.sizes[axis] for axis in self.along)

    @property
    def is_shared_well(self) -> bool:
        """Whether blocks with whole rows keep a GPU busy."""
        return self.length <= _LONG or self.rows >= _MANY

    def seen(self, kernel: Loop | Fold) -> RowPart | None:
        """Return a kernel in terms of this domain, None if it has another."""
        wide = [axis for axis, size in enumerate(kernel.sizes) if size != 1]
        sizes = tuple(kernel.sizes[axis] for axis in wide)
        if sizes == self.sizes:
            axes: Sequence[int] = range(len(wide))
        elif sizes == tuple(self.sizes[axis] for axis in self.across) and isinstance(kernel, Loop):
            axes = self.across
        else:
            return None
        if isinstance(kernel, Fold) and Domain.of(kernel).along != self.along:
            return None

        def over(access: Access) -> Access:
            steps = [0] * len(self.sizes)
            for axis, place in zip(axes, wide, strict=True):
                steps[axis] = access.steps[place]
            return Access(access.buffer, access.start, tuple(steps))

        target, *leaves = map(over, kernel.accesses())
        return RowPart(kernel, target, tuple(leaves), whole=len(axes) == len(self.sizes))


@dataclass(frozen=True, eq=False, slots=True)
class RowPart:
    """A fold or a loop with a step for each axis of a domain: its target and its leaves.

    It is `whole` if it goes over all elements, not over one number for each row.
    """

    kernel: Loop | Fold
    target: Access
    leaves: tuple[Access, ...]
    whole: bool


@dataclass(frozen=True, eq=False, slots=True)
class Rows:
    """Parts over the rows of a domain. What `inside` holds nothing else needs.

    With `chunks` a row is combined in so many pieces, each of which is written beside the others.
    """

    domain: Domain
    parts: tuple[RowPart, ...]
    inside: frozenset[Buffer] = frozenset()
    chunks: int = 1

    @property
    def sizes(self) -> Sizes:
        """The sizes of its domain."""
        return self.domain.sizes

    @property
    def order(self) -> list[int]:
        """The axes across rows, then the axes along them, each in the memory order of most inputs."""
        return [axis for axes in (self.domain.across, self.domain.along) for axis in self._by_steps() if axis in axes]

    @property
    def block(self) -> Shape:
        """The shape of a thread block: its threads along each axis."""
        moving = [axis for axis in self._by_steps() if any(leaf.steps[axis] for leaf in self._widest())]
        upright = bool(moving) and moving[-1] in self.domain.across
        length = -(-self.domain.length // self.chunks)
        return shape_of(self.domain.rows * self.chunks, length, upright=upright)

    def _by_steps(self) -> list[int]:
        return next(map(by_steps, self._widest()), list(range(len(self.domain.sizes))))

    def _widest(self) -> list[Access]:
        """Return the access that goes over most axes, if anything is read."""
        leaves = [leaf for part in self.parts for leaf in part.leaves]
        return [max(leaves, key=lambda leaf: sum(step != 0 for step in leaf.steps))] if leaves else []

    def accesses(self) -> Iterator[Access]:
        """Return the accesses of the kernel to memory, except values that stay inside of it."""
        for part in self.parts:
            for access in (part.target, *part.leaves):
                if access.buffer not in self.inside:
                    yield access


def in_rows(kernels: Sequence[Kernel], new: Callable[[int], Buffer]) -> list[Kernel]:
    """Return kernels with folds, and loops next to them, put together as far as one launch can do them.

    `new` makes scratch for a given number of numbers.
    """
    found: list[Kernel] = []
    current: _Open | None = None
    for kernel in kernels:
        if current is not None and isinstance(kernel, (Loop, Fold)) and current.take(kernel):
            continue
        if current is not None:
            found.append(current.closed())
            current = None
        if not isinstance(kernel, Fold):
            found.append(kernel)
            continue
        fold = kernel
        if not Domain.of(kernel).is_shared_well:
            pieces, fold = _in_pieces(kernel, new)
            found.append(pieces)
        current = _Open(fold)
        while found and isinstance(found[-1], Loop) and current.take_before(found[-1]):
            found.pop()
    if current is not None:
        found.append(current.closed())
    return _with_inside(_with_later_loops(found))


def _with_later_loops(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Return kernels in which rows include later loops of one number for each row, such as results."""
    found: list[Kernel] = []
    for kernel in kernels:
        place = _earlier_rows(found, kernel) if isinstance(kernel, Loop) else None
        if place is None:
            found.append(kernel)
        else:
            at, rows = place
            found[at] = rows
    return found


def _earlier_rows(kernels: Sequence[Kernel], loop: Loop) -> tuple[int, Rows] | None:
    """Return the last rows into which a loop that reads their results can be fused, with their index; else None.

    Nothing between them and the loop may touch the buffer that it writes, or write a buffer that it reads.
    """
    writes, *reads = loop.accesses()
    buffers = {access.buffer for access in reads}
    for at in range(len(kernels) - 1, -1, -1):
        rows = kernels[at]
        if isinstance(rows, Rows) and rows.chunks == 1 and rows.domain.is_shared_well:
            part = rows.domain.seen(loop)
            if part is not None and not part.whole and buffers & _written(rows) and _keep_to_rows([*rows.parts, part]):
                return at, Rows(rows.domain, (*rows.parts, part), rows.inside)
        if writes.buffer in {access.buffer for access in rows.accesses()} or buffers & _written(rows):
            return None
    return None


def _written(kernel: Kernel) -> set[Buffer]:
    if isinstance(kernel, Rows):
        return {part.target.buffer for part in kernel.parts}
    return {next(iter(kernel.accesses())).buffer}


def _in_pieces(kernel: Fold, new: Callable[[int], Buffer]) -> tuple[Rows, Fold]:
    """Return a fold of few long rows as two folds: of pieces of the rows, and of the results."""
    domain = Domain.of(kernel)
    chunks = min(-(-domain.length // _LONG), _MOST_PIECES)
    sizes = tuple(domain.sizes[axis] for axis in domain.across)
    place = whole(new(domain.rows * chunks), (*sizes, chunks))
    steps = dict(zip(domain.across, place.steps, strict=False))
    part = domain.seen(kernel)
    assert part is not None
    between = Access(place.buffer, 0, tuple(steps.get(axis, 0) for axis in range(len(domain.sizes))))
    pieces = Rows(domain, (RowPart(kernel, between, part.leaves, whole=True),), chunks=chunks)
    target = Access(part.target.buffer, part.target.start, (*(part.target.steps[a] for a in domain.across), 0))
    stand = ArrayValue((*sizes, chunks))
    return pieces, Fold(stand.shape, (len(sizes),), kernel.function, Tree(stand, {stand: place}), target)


class _Open:
    """Parts that are put together, the fold that they began with among them."""

    def __init__(self, fold: Fold) -> None:
        self._domain = Domain.of(fold)
        first = self._domain.seen(fold)
        assert first is not None
        self._parts = [first]

    def take(self, kernel: Loop | Fold) -> bool:
        """Add a kernel behind the parts, if it is one of them."""
        return self._added(kernel, lambda part: [*self._parts, part])

    def take_before(self, kernel: Loop) -> bool:
        """Add a loop before the parts, if it is one of them."""
        return self._added(kernel, lambda part: [part, *self._parts])

    def closed(self) -> Rows:
        """Return the kernels merged into one launch."""
        return Rows(self._domain, tuple(self._parts))

    def _added(self, kernel: Loop | Fold, joined: Callable[[RowPart], list[RowPart]]) -> bool:
        part = self._domain.seen(kernel) if self._domain.is_shared_well else None
        if part is None:
            return False
        parts = joined(part)
        if not _keep_to_rows(parts):
            return False
        self._parts = parts
        return True


def _keep_to_rows(parts: Sequence[RowPart]) -> bool:
    """Return whether each part reads only elements of other parts' results that its own thread wrote."""
    written: dict[Buffer, Access] = {}
    touched: set[Buffer] = set()
    for part in parts:
        for leaf in part.leaves:
            if leaf.buffer in written and written[leaf.buffer] != leaf:
                return False
            touched.add(leaf.buffer)
        if part.target.buffer in touched:
            return False
        touched.add(part.target.buffer)
        written[part.target.buffer] = part.target
    return True


def _with_inside(kernels: Sequence[Kernel]) -> list[Kernel]:
    """Return kernels whose groups of rows keep the buffers that no other kernel needs."""
    users: Counter[Buffer] = Counter()
    for kernel in kernels:
        users.update({access.buffer for access in kernel.accesses()})
    found: list[Kernel] = []
    for kernel in kernels:
        if isinstance(kernel, Rows):
            found.append(Rows(kernel.domain, kernel.parts, frozenset(_inside(kernel, users)), kernel.chunks))
        else:
            found.append(kernel)
    return found


def _inside(kernel: Rows, users: Counter[Buffer]) -> Iterator[Buffer]:
    """Yield the buffers that only this kernel needs and that fit into shared memory."""
    left = _MOST_KEPT // kernel.block.rows
    for part in kernel.parts:
        alone = part.target.buffer.scratch and users[part.target.buffer] == 1
        wanted = kernel.domain.length if part.whole and isinstance(part.kernel, Loop) else 0
        if alone and wanted <= left:
            left -= wanted
            yield part.target.buffer
