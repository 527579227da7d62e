"""Consecutive kernels whose rows each thread takes through all of them, without waiting for other threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TypeAlias

from hybridlint.runtime.compiled.engines.jit.kernels import Convolve, NativeProduct, pooled_sizes
from hybridlint.runtime.compiled.engines.jit.sharing import worth_chaining
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.tiles import tile_of
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Kernel, Loop
from hybridlint.runtime.compiled.lowering.values import Sizes

#: A matrix product is not split into fewer rows than this.
_ROWS = 8
#: Where rows of a buffer begin, as a number of rows, and the step from one to the next.
_Rows: TypeAlias = "tuple[int, int]"
#: A kernel whose rows may go their own ways.
_Link: TypeAlias = "Loop | NativeProduct | Convolve"


@dataclass(frozen=True, slots=True)
class Chain:
    """Consecutive kernels, the first of which has the number `first`. Each has an axis whose rows go their own ways.

    `parts` are the kernels for one share of the rows, and `axes` where the rows are among their axes.
    """

    first: int
    shares: int
    parts: tuple[_Link, ...]
    axes: tuple[int, ...]
    #: The buffers that shares divide into rows, from the first element to the last.
    divided: frozenset[Buffer]

    @property
    def end(self) -> int:
        """The number of the kernel after the chain."""
        return self.first + len(self.parts)

    def moves(self, number: int) -> Iterator[tuple[Access, int]]:
        """Yield where a part reads and writes, with the distance from one share to the next."""
        part, axis = self.parts[number], self.axes[number]
        for access in part.accesses():
            if isinstance(part, Convolve) and access in {part.scratch, part.panels}:
                # Shares have all panels in common, and scratch of their own.
                yield access, part.part if access is part.scratch else 0
                continue
            step = access.steps[axis] if axis < len(access.steps) else 0
            yield access, step * part.sizes[axis]


def chains(kernels: Sequence[Kernel], target: TargetProcessor, threads: int) -> list[Chain]:
    """Return the chains of kernels that a given number of threads share, in their order."""
    found: list[Chain] = []
    at = 0
    while at < len(kernels):
        chain = _chain_from(kernels, at, target, threads)
        if chain is None:
            at += 1
        else:
            found.append(chain)
            at = chain.end
    return found


def _chain_from(kernels: Sequence[Kernel], first: int, target: TargetProcessor, threads: int) -> Chain | None:
    """Return the longest chain that begins with a kernel, None if it is none, or takes too little time."""
    rows = _row_axis(kernels[first])
    if rows is None:
        return None
    links = _Links(kernels[first].sizes[rows])
    end = first
    while end < len(kernels) and links.add(kernels[end]):
        end += 1
    shares = links.shares(threads)
    if end < first + 2 or shares is None or not worth_chaining(kernels[first:end], target.lanes):
        return None
    parts = tuple(
        _part(kernel, axis, links.count // shares, target)
        for kernel, axis in zip(links.kernels, links.axes, strict=True)
    )
    return Chain(first, shares, parts, tuple(links.axes), links.divided())


def _row_axis(kernel: Kernel) -> int | None:
    """Return the first axis that has several rows; None if there is none, or the kernel is of another kind."""
    if isinstance(kernel, Convolve):
        return 0 if kernel.sizes[0] > 1 else None
    if not isinstance(kernel, (Loop, NativeProduct)):
        return None
    axes = range(len(kernel.sizes) - isinstance(kernel, NativeProduct))
    axis = next((k for k in axes if kernel.sizes[k] > 1), None)
    pooled = kernel.pooled if isinstance(kernel, NativeProduct) else None
    return None if axis is None or (pooled is not None and pooled.strides[axis] > 1) else axis


def _part(kernel: _Link, axis: int, rows: int, target: TargetProcessor) -> _Link:
    """Return a kernel for a given number of rows."""
    sizes = (*kernel.sizes[:axis], rows, *kernel.sizes[axis + 1 :])
    if isinstance(kernel, Convolve):
        return replace(kernel, sizes=sizes, shares=1)
    if isinstance(kernel, Loop) or kernel.beside:
        return replace(kernel, sizes=sizes)
    return replace(kernel, sizes=sizes, tile=tile_of(target, sizes[-2], sizes[-1], kernel.tile[1]))


def _has_blocks(kernel: _Link, samples: int, shares: int) -> bool:
    """Return whether the samples fill whole blocks of a convolution, which has memory for enough shares."""
    if not isinstance(kernel, Convolve):
        return True
    squares = samples * kernel.sizes[1] // kernel.form.size
    return squares % kernel.rows == 0 and shares <= kernel.shares


@dataclass(slots=True)
class _Links:
    """Kernels of a chain that grows, of `count` rows."""

    count: int
    kernels: list[_Link] = field(default_factory=list)
    axes: list[int] = field(default_factory=list)
    #: How each buffer is seen, None where it is not row by row; and which are written to.
    _seen: dict[Buffer, set[_Rows | None]] = field(default_factory=dict)
    _written: set[Buffer] = field(default_factory=set)

    def add(self, kernel: Kernel) -> bool:
        """Add the next kernel; return False, adding nothing, if its rows need results of other rows."""
        axis = _row_axis(kernel)
        if axis is None or kernel.sizes[axis] != self.count:
            return False
        assert isinstance(kernel, (Loop, NativeProduct, Convolve))
        steps: dict[tuple[Buffer, int], int] = {}
        seen: dict[Buffer, set[_Rows | None]] = {}
        for access, sizes in _reaches(kernel):
            step = access.steps[axis] if axis < len(access.steps) else 0
            # One address represents all accesses that begin at a place.
            if steps.setdefault((access.buffer, access.start), step) != step:
                return False
            seen.setdefault(access.buffer, set(self._seen.get(access.buffer, ()))).add(_rows(access, sizes, axis))
        written = {*self._written, kernel.target.buffer}
        if not all(self._apart(rows) for buffer, rows in seen.items() if buffer in written):
            return False
        self._seen.update(seen)
        self._written = written
        self.kernels.append(kernel)
        self.axes.append(axis)
        return True

    def _apart(self, seen: set[_Rows | None]) -> bool:
        """Return whether each row that is seen is one row alone wherever it is seen."""
        known = [rows for rows in seen if rows is not None]
        begins = sorted(begin for begin, _ in known)
        return (
            len(known) == len(seen)
            and len({step for _, step in known}) == 1
            and all(b - a >= self.count for a, b in pairwise(begins))
        )

    def shares(self, threads: int) -> int | None:
        """Return how many shares there are, as many as threads or somewhat more; None if there are too few rows."""
        products = any(
            isinstance(kernel, NativeProduct) and axis == len(kernel.sizes) - 2
            for kernel, axis in zip(self.kernels, self.axes, strict=True)
        )
        most = self.count // (_ROWS if products else 1)
        fitting = [
            n
            for n in range(threads, min(2 * threads, most) + 1)
            if self.count % n == 0 and all(_has_blocks(kernel, self.count // n, n) for kernel in self.kernels)
        ]
        return max(fitting, default=None)

    def divided(self) -> frozenset[Buffer]:
        """Return the buffers that the rows of a chain fill exactly."""
        return frozenset(
            buffer
            for buffer, seen in self._seen.items()
            if all(rows is not None and rows[0] == 0 and rows[1] * self.count == buffer.size for rows in seen)
        )


def _reaches(kernel: _Link) -> Iterator[tuple[Access, Sizes]]:
    """Yield the places that a kernel shares with other kernels, with the steps along each axis."""
    if isinstance(kernel, Loop):
        for access in kernel.accesses():
            yield access, kernel.sizes
        return
    if isinstance(kernel, NativeProduct):
        yield kernel.left, (*kernel.sizes[:-1], *kernel.inner)
    else:
        window = (kernel.form.filter, kernel.form.filter, kernel.channels)
        steps = (*kernel.source.steps[:3], *kernel.source.steps[1:])
        yield replace(kernel.source, steps=steps), (*kernel.sizes[:3], *window)
    # Of panels all is read.
    yield replace(kernel.panels, steps=()), ()
    yield kernel.target, pooled_sizes(kernel.sizes, kernel.pooled)
    for access in kernel.tree.leaves.values():
        yield access, kernel.sizes


def _rows(access: Access, sizes: Sizes, axis: int) -> _Rows | None:
    """Return the rows of a buffer of which each step along an axis reads one; None if steps share a row."""
    step = access.steps[axis] if axis < len(access.steps) else 0
    if step <= 0:
        return None
    ends = [s * (n - 1) for k, (s, n) in enumerate(zip(access.steps, sizes, strict=True)) if k != axis]
    least, most = (access.start + sum(bound(0, end) for end in ends) for bound in (min, max))
    return (least // step, step) if least // step == most // step else None
