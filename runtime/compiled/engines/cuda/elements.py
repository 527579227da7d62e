"""Kernels of functions of elements, of rows of tables, and frames: each thread computes some elements of the result."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

from hybridlint.runtime.compiled.engines.cuda.code import (
    MOST_BLOCKS,
    Code,
    KernelParameters,
    function,
    indent_lines,
    index_type,
    indices,
    reads,
)
from hybridlint.runtime.compiled.engines.cuda.expressions import Statements
from hybridlint.runtime.compiled.engines.cuda.functions import literal
from hybridlint.runtime.compiled.engines.cuda.kernels import BorderFrame, Gather
from hybridlint.runtime.compiled.lowering.kernels import Access, Loop
from hybridlint.runtime.compiled.lowering.places import by_steps, merge_axes

_THREADS = 256


def element_code(kernel: Loop) -> Code:
    """Return the code of a loop over elements: neighbours in memory are written by neighbours among the threads."""
    values = list(kernel.tree.leaves)
    accesses = [kernel.target, *(kernel.tree.leaves[v] for v in values)]
    nest, _ = merge_axes(kernel.sizes, accesses, by_steps(kernel.target))
    sizes = nest.sizes or (1,)
    target, *leaves = [
        Access(access.buffer, access.start, steps or (0,)) for access, steps in zip(accesses, nest.steps, strict=True)
    ]
    count = prod(sizes)
    parameters = KernelParameters([kernel.target], reads(kernel))
    names = [f"i{k}" for k in range(len(sizes))]
    statements = Statements({value: f"v{k}" for k, value in enumerate(values)})
    result = statements.named(kernel.tree.root)
    body = [
        *indices(names, sizes, "at"),
        *(f"const float v{k} = {parameters.loaded(leaf, names)};" for k, leaf in enumerate(leaves)),
        *statements.lines,
        parameters.stored(target, names, result),
    ]
    text = function(parameters, index_type(count, accesses), _over(count, body))
    return Code(text, parameters.buffers, _blocks(count), _THREADS)


def gather_code(kernel: Gather) -> Code:
    """Return the code of rows that are taken: each thread reads a position, and an element of the row there."""
    accesses = [kernel.target, kernel.positions, kernel.table]
    nest, _ = merge_axes(kernel.sizes, accesses, by_steps(kernel.target))
    sizes = nest.sizes or (1,)
    target, positions, table = [
        Access(access.buffer, access.start, steps or (0,)) for access, steps in zip(accesses, nest.steps, strict=True)
    ]
    names = [f"i{k}" for k in range(len(sizes))]
    parameters = KernelParameters([kernel.target], [kernel.positions, kernel.table])
    row = f"row_of({parameters.loaded(positions, names)}, {kernel.rows - 1})"
    element = parameters.loaded(Access(table.buffer, table.start, (*table.steps, kernel.step)), [*names, "row"])
    body = [
        *indices(names, sizes, "at"),
        f"const Index row = {row};",
        parameters.stored(target, names, element),
    ]
    count = prod(sizes)
    text = function(parameters, index_type(count, accesses), _over(count, body))
    return Code(text, parameters.buffers, _blocks(count), _THREADS)


def frame_code(kernel: BorderFrame) -> Code:
    """Return the code of a frame: each thread looks whether its elements are in it."""
    order = by_steps(kernel.target)
    sizes = tuple(kernel.sizes[axis] for axis in order)
    names = [f"i{k}" for k in range(len(sizes))]
    target = Access(kernel.target.buffer, kernel.target.start, tuple(kernel.target.steps[axis] for axis in order))
    outside = [
        f"{name} < {kernel.before[axis]} || {name} >= {kernel.before[axis] + kernel.inside[axis]}"
        for name, axis in zip(names, order, strict=True)
        if kernel.inside[axis] < kernel.sizes[axis]
    ]
    parameters = KernelParameters([kernel.target], [])
    stored = parameters.stored(target, names, literal(kernel.number))
    count = prod(sizes)
    loop = _over(count, [*indices(names, sizes, "at"), f"if ({' || '.join(outside)}) {stored}"])
    return Code(function(parameters, index_type(count, [target]), loop), parameters.buffers, _blocks(count), _THREADS)


def _over(count: int, body: Iterable[str]) -> list[str]:
    """Return a loop over a given number of elements, which all threads share."""
    return [
        "const Index all = (Index)gridDim.x * blockDim.x;",
        f"for (Index at = (Index)blockIdx.x * blockDim.x + threadIdx.x; at < {count}; at += all) {{",
        *indent_lines(body),
        "}",
    ]


def _blocks(count: int) -> int:
    """Return the blocks of a launch over a given number of elements."""
    return min(-(-count // _THREADS), MOST_BLOCKS)
