"""Kernels of functions of elements: each thread computes some elements of the result."""

from __future__ import annotations

from hybridlint.runtime.compiled.engines.cuda.code import (
    MOST_BLOCKS,
    Code,
    Parameters,
    function,
    indented,
    index_type,
    indices,
    reads,
)
from hybridlint.runtime.compiled.engines.cuda.expressions import Statements
from hybridlint.runtime.compiled.groups.kernels import Access, Loop
from hybridlint.runtime.compiled.groups.places import by_steps, merged

_THREADS = 256


def element_code(kernel: Loop) -> Code:
    """Return the code of a loop over elements: neighbours in memory are written by neighbours among the threads."""
    values = list(kernel.tree.leaves)
    accesses = [kernel.target, *(kernel.tree.leaves[v] for v in values)]
    nest, _ = merged(kernel.sizes, accesses, by_steps(kernel.target))
    sizes = nest.sizes or (1,)
    target, *leaves = [
        Access(access.buffer, access.start, steps or (0,)) for access, steps in zip(accesses, nest.steps, strict=True)
    ]
    count = 1
    for size in sizes:
        count *= size
    parameters = Parameters([kernel.target], reads(kernel))
    names = [f"i{k}" for k in range(len(sizes))]
    statements = Statements({value: f"v{k}" for k, value in enumerate(values)})
    result = statements.named(kernel.tree.root)
    body = [
        *indices(names, sizes, "at"),
        *(f"const float v{k} = {parameters.loaded(leaf, names)};" for k, leaf in enumerate(leaves)),
        *statements.lines,
        parameters.stored(target, names, result),
    ]
    loop = [
        "const Index all = (Index)gridDim.x * blockDim.x;",
        f"for (Index at = (Index)blockIdx.x * blockDim.x + threadIdx.x; at < {count}; at += all) {{",
        *indented(body),
        "}",
    ]
    text = function(parameters, index_type(count, accesses), loop)
    return Code(text, parameters.buffers, min(-(-count // _THREADS), MOST_BLOCKS), _THREADS)
