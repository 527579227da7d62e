"""How long each loop of native code takes, and what it does in words."""

from __future__ import annotations

from collections.abc import Iterator
from math import inf
from time import perf_counter

from hybridlint.runtime.compiled.engines.jit.assembly import assemble_functions
from hybridlint.runtime.compiled.engines.jit.kernels import (
    Convolve,
    KeptArray,
    NativeProduct,
    Pack,
    PackFilters,
    Together,
)
from hybridlint.runtime.compiled.engines.jit.llvm import compile_ir
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment, SegmentMemory
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.lowering.kernels import Fold, Kernel, Loop, Tree
from hybridlint.runtime.compiled.lowering.words import functions_in, functions_of, in_words

#: What is done with arrays that are given, once for as long as they stay what they are.
_KEPT = {KeptArray: "numbers turned", Pack: "panels packed", PackFilters: "filters transformed and packed"}


def timed_kernels(
    segment: NativeSegment, memory: SegmentMemory, target: TargetProcessor, runs: int
) -> Iterator[tuple[str, float]]:
    """Yield each kernel in words, with its least time. The segment has run in this memory, which is reserved."""
    kernels = [*segment.packs, *segment.kernels]
    native = compile_ir(assemble_functions([[kernel] for kernel in kernels], target), target)
    calls = [native.function(f"run{k}") for k in range(len(kernels))]
    least = [inf] * len(kernels)
    for _ in range(runs):
        for k, call in enumerate(calls):
            begin = perf_counter()
            call(memory.place)
            least[k] = min(least[k], perf_counter() - begin)
    yield from zip(map(describe_kernel, kernels), least, strict=True)


def describe_kernel(kernel: Kernel) -> str:
    """Return a kernel in a few words: its kind, the sizes of its loops, and its functions of elements."""
    sizes = in_words(kernel.sizes)
    match kernel:
        case KeptArray() | Pack():
            return f"{_KEPT[type(kernel)]}, {sizes}"
        case NativeProduct():
            functions = functions_of(kernel.tree, kernel.product) + _pooled(kernel)
            return f"products, {sizes} over {in_words(kernel.inner)}{functions}"
        case Convolve():
            functions = functions_of(kernel.tree, kernel.product) + _pooled(kernel)
            return f"convolution, {sizes} over {kernel.channels}, squares of {kernel.form.size}{functions}"
        case Fold():
            return f"{kernel.function} over axes {in_words(kernel.axes, ', ')} of {sizes}{functions_of(kernel.tree)}"
        case Loop() | Together():
            loops = kernel.parts if isinstance(kernel, Together) else (kernel,)
            names = dict.fromkeys(name for loop in loops for name in functions_in(loop.tree))
            return f"{'loops together' if len(loops) > 1 else 'loop'}, {sizes}: {', '.join(names) or 'copy'}"
        case _:
            raise AssertionError(f"{type(kernel).__name__} is no kernel of this engine")


def _pooled(kernel: NativeProduct | Convolve) -> str:
    """Return the function of rectangles of a kernel's results, in words."""
    if kernel.pooled is None:
        return ""
    strides = in_words(tuple(stride for stride in kernel.pooled.strides if stride > 1))
    parts = Tree(kernel.pooled.root, dict.fromkeys(kernel.pooled.parts, kernel.target))
    return f", of {strides} {', '.join(functions_in(parts))}"
