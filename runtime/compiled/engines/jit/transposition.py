"""Native code of loops that read along one axis and write along another: squares are transposed in registers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluate_value
from hybridlint.runtime.compiled.engines.jit.llvm import ir
from hybridlint.runtime.compiled.engines.jit.sharing import shared_axis
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter
from hybridlint.runtime.compiled.lowering.kernels import Access, Loop
from hybridlint.runtime.compiled.lowering.values import ArrayValue

#: Code of functions is written once for each row of a square: of no more functions than this.
_MOST_FUNCTIONS = 8


def transpose_square(writer: IRWriter, rows: list[Any]) -> list[Any]:
    """Return the columns of a square of numbers: its halves are interleaved until each element is in its place."""
    count = len(rows)
    mask = ir().VectorType(writer.lanes.whole, count)
    low, high = (
        ir().Constant(mask, [begin + k // 2 + (count if k % 2 else 0) for k in range(count)])
        for begin in (0, count // 2)
    )
    for _ in range(count.bit_length() - 1):
        pairs = zip(rows[: count // 2], rows[count // 2 :], strict=True)
        rows = [writer.b.shuffle_vector(a, b, half) for a, b in pairs for half in (low, high)]
    return rows


def offset_of(writer: IRWriter, position: Any, axes: Sequence[tuple[int, int]]) -> Any:
    """Return where an element lies that is so far along axes which follow each other, fastest first: size and step."""
    b, left, offset = writer.b, position, writer.const(0)
    for size, step in axes[:-1]:
        offset = b.add(offset, b.mul(b.urem(left, writer.const(size)), writer.const(step)))
        left = b.udiv(left, writer.const(size))
    return b.add(offset, b.mul(left, writer.const(axes[-1][1])))


@dataclass(frozen=True, slots=True)
class Turn:
    """How a loop is turned: it writes along the axes `together`, fastest first, and reads leaves along another one."""

    together: tuple[int, ...]
    across: int
    turned: tuple[ArrayValue, ...]


def turn_of(kernel: Loop, lanes: int) -> Turn | None:
    """Return how a loop is turned; None if it need not or cannot be."""
    across = {
        axis
        for leaf in kernel.tree.leaves.values()
        for axis, size in enumerate(kernel.sizes)
        if leaf.steps[axis] == 1 and size >= lanes and abs(kernel.target.steps[axis]) > 1
    }
    if len(across) != 1 or kernel.tree.functions > _MOST_FUNCTIONS:
        return None
    (axis,) = across
    together = _together(kernel, axis)
    if prod(kernel.sizes[k] for k in together) < lanes:
        return None
    turned: list[ArrayValue] = []
    for value, leaf in kernel.tree.leaves.items():
        if not any(leaf.steps[k] for k in together) or _follows(kernel, leaf, together):
            continue
        if leaf.steps[axis] != 1:
            return None
        turned.append(value)
    return Turn(together, axis, tuple(turned)) if turned else None


def _together(kernel: Loop, across: int) -> tuple[int, ...]:
    """Return the axes along which the loop writes elements that lie together, fastest first, up to the one across."""
    found: list[int] = []
    length = 1
    for axis in sorted(range(len(kernel.sizes)), key=lambda axis: abs(kernel.target.steps[axis])):
        if kernel.sizes[axis] == 1:
            continue
        if axis == across or kernel.target.steps[axis] != length:
            break
        found.append(axis)
        length *= kernel.sizes[axis]
    return tuple(found)


def _follows(kernel: Loop, leaf: Access, together: Sequence[int]) -> bool:
    return all(leaf.steps[axis] == kernel.target.steps[axis] for axis in together)


def write_turned(writer: IRWriter, kernel: Loop, turn: Turn) -> None:
    """Write a loop square by square."""
    _Turning(writer, kernel, turn).write()


class _Turning:
    def __init__(self, writer: IRWriter, kernel: Loop, turn: Turn) -> None:
        self.w, self.k, self.turn = writer, kernel, turn
        self.lanes = writer.lanes.count
        inside = {*turn.together, turn.across}
        self.outer = [axis for axis in _by_size(kernel) if axis not in inside]

    def write(self) -> None:
        """Write the loops over what is neither read nor written in squares, then those over squares."""
        sizes = self.k.sizes
        length = prod(sizes[axis] for axis in self.turn.together)
        outer, across = [sizes[axis] for axis in self.outer], sizes[self.turn.across]
        shared = shared_axis([*outer, across // self.lanes, length // self.lanes])

        def plane(indices: list[Any]) -> None:
            starts = {value: self._start(leaf, indices) for value, leaf in self.k.tree.leaves.items()}
            target = self._start(self.k.target, indices)

            def line(row: Any, high: int) -> None:
                self.w.parts(
                    length,
                    lambda at, wide: self._square(starts, target, (row, at), (high, wide)),
                    shared=shared == len(outer) + 1,
                )

            self.w.parts(across, line, shared=shared == len(outer))

        with self.w.once(shared is None):
            self.w.nest(outer, plane, shared)

    def _start(self, access: Access, indices: Sequence[Any]) -> Any:
        steps = tuple(access.steps[axis] for axis in self.outer)
        return self.w.address(Access(access.buffer, access.start, steps), indices)

    def _square(
        self, starts: dict[ArrayValue, Any], target: Any, corner: tuple[Any, Any], size: tuple[int, int]
    ) -> None:
        """Write one square, of which only a given number of rows and columns exist."""
        w, (row, at), (high, wide) = self.w, corner, size
        columns = {value: self._columns(starts[value], value, corner, size) for value in self.turn.turned}
        target = w.moved(w.moved(target, at), w.b.mul(row, w.const(self.k.target.steps[self.turn.across])))
        for k in range(high):
            vectors = {}
            for value, leaf in self.k.tree.leaves.items():
                if value in columns:
                    vectors[value] = columns[value][k]
                    continue
                down = leaf.steps[self.turn.across]
                along = int(any(leaf.steps[axis] for axis in self.turn.together))
                place = w.moved(starts[value], w.b.mul(w.b.add(row, w.const(k)), w.const(down)))
                vectors[value] = w.load(w.moved(place, at) if along else place, along, wide)
            result = evaluate_value(w, self.k.tree.root, vectors)
            w.store(result, w.moved(target, k * self.k.target.steps[self.turn.across]), 1, wide)

    def _columns(self, start: Any, value: ArrayValue, corner: tuple[Any, Any], size: tuple[int, int]) -> list[Any]:
        """Return the vectors along which is written, of a leaf that is read across."""
        w, (row, at), (high, wide) = self.w, corner, size
        steps = self.k.tree.leaves[value].steps
        axes = [(self.k.sizes[axis], steps[axis]) for axis in self.turn.together]
        begin = w.moved(start, row)
        places = [w.moved(begin, offset_of(w, w.b.add(at, w.const(k)), axes)) for k in range(wide)]
        nothing = [w.lanes.const(0.0)] * (self.lanes - wide)
        return transpose_square(w, [*(w.load(place, 1, high) for place in places), *nothing])


def _by_size(kernel: Loop) -> list[int]:
    return sorted(range(len(kernel.sizes)), key=lambda axis: -abs(kernel.target.steps[axis]))
