"""Consecutive loops over the same elements, as one loop: later loops read earlier results from registers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluate_value
from hybridlint.runtime.compiled.engines.jit.kernels import Together
from hybridlint.runtime.compiled.engines.jit.sharing import shared_axis
from hybridlint.runtime.compiled.engines.jit.transposition import turn_of
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Kernel, Loop
from hybridlint.runtime.compiled.lowering.places import by_steps, merge_axes

#: Of more functions than this, registers do not hold what goes from one to the next.
_MOST_FUNCTIONS = 120


def join_kernels(kernels: Sequence[Kernel], lanes: int) -> tuple[Kernel, ...]:
    """Return kernels with those joined that can be."""
    groups: list[list[Kernel]] = []
    for kernel in kernels:
        if groups and _joins(kernel, groups[-1], lanes):
            groups[-1].append(kernel)
        else:
            groups.append([kernel])
    users: dict[Buffer, set[int]] = defaultdict(set)
    for number, group in enumerate(groups):
        for kernel in group:
            for access in kernel.accesses():
                users[access.buffer].add(number)
    return tuple(group[0] if len(group) == 1 else _together(group, users) for group in groups)


def _joins(kernel: Kernel, group: Sequence[Kernel], lanes: int) -> bool:
    """Return whether a kernel is a loop that can run element by element with those of a group."""
    if not isinstance(kernel, Loop) or turn_of(kernel, lanes) is not None or not _writes_once(kernel):
        return False
    functions = kernel.tree.functions
    for other in group:
        if not isinstance(other, Loop) or turn_of(other, lanes) is not None or not _writes_once(other):
            return False
        if other.sizes != kernel.sizes or other.target.steps != kernel.target.steps:
            return False
        if any(leaf.buffer == other.target.buffer and leaf != other.target for leaf in kernel.tree.leaves.values()):
            return False
        if any(access.buffer == kernel.target.buffer for access in other.accesses()):
            return False
        functions += other.tree.functions
    return functions <= _MOST_FUNCTIONS


def _writes_once(loop: Loop) -> bool:
    """Return whether each element is written to a place of its own."""
    return all(step or size == 1 for step, size in zip(loop.target.steps, loop.sizes, strict=True))


def _together(group: Sequence[Kernel], users: dict[Buffer, set[int]]) -> Together:
    loops = tuple(kernel for kernel in group if isinstance(kernel, Loop))
    stored = tuple(not loop.target.buffer.scratch or len(users[loop.target.buffer]) > 1 for loop in loops)
    return Together(loops[0].sizes, loops, stored)


def write_together(writer: IRWriter, kernel: Together) -> None:
    """Write loops as one. All is read before anything is written."""
    accesses = list(dict.fromkeys(kernel.accesses()))
    nest, _ = merge_axes(kernel.sizes, accesses, by_steps(kernel.parts[0].target))
    sizes, steps = nest.sizes or (1,), [s or (1,) for s in nest.steps]

    def row(indices: list[Any]) -> None:
        starts = {
            access: (writer.address(Access(access.buffer, access.start, s[: len(indices)]), indices), s[-1])
            for access, s in zip(accesses, steps, strict=True)
        }
        fixed = {access: writer.load(start, 0, 1) for access, (start, step) in starts.items() if not step}

        def part(at: Any, count: int) -> None:
            def place(access: Access) -> tuple[Any, int]:
                start, step = starts[access]
                return writer.moved(start, writer.b.mul(at, writer.const(step))), step

            vectors = dict(fixed)
            for loop in kernel.parts:
                for leaf in loop.tree.leaves.values():
                    if leaf not in vectors:
                        vectors[leaf] = writer.load(*place(leaf), count)
                known = {value: vectors[leaf] for value, leaf in loop.tree.leaves.items()}
                vectors[loop.target] = evaluate_value(writer, loop.tree.root, known)
            for loop, stored in zip(kernel.parts, kernel.stored, strict=True):
                if stored:
                    writer.store(vectors[loop.target], *place(loop.target), count)

        writer.parts(sizes[-1], part, shared=shared == len(sizes) - 1)

    shared = shared_axis([*sizes[:-1], sizes[-1] // writer.lanes.count])
    with writer.once(shared is None):
        writer.nest(sizes[:-1], row, shared)
