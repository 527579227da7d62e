"""Descriptions of a GPU's kernels in words."""

from __future__ import annotations

from hybridlint.runtime.compiled.engines.cuda.kernels import BorderFrame, Gather, MatrixProduct
from hybridlint.runtime.compiled.engines.cuda.rows import Rows
from hybridlint.runtime.compiled.lowering.kernels import Fold, Kernel, Loop
from hybridlint.runtime.compiled.lowering.words import functions_of, in_words


def describe_kernel(kernel: Kernel) -> str:
    """Return a description of a kernel: its kind, the sizes of its domain, and its functions of elements."""
    sizes = in_words(kernel.sizes)
    match kernel:
        case MatrixProduct():
            return f"products, {sizes} over {kernel.inner}"
        case BorderFrame():
            return f"frame, {sizes} around {in_words(kernel.inside)}"
        case Gather():
            return f"rows taken, {sizes} of {kernel.rows}"
        case Rows():
            parts = [part.kernel for part in kernel.parts]
            told = [f"{part.function if isinstance(part, Fold) else 'loop'}{functions_of(part.tree)}" for part in parts]
            return f"rows, {kernel.domain.rows} of {kernel.domain.length}: {'; '.join(told)}"
        case Loop():
            return f"loop, {sizes}{functions_of(kernel.tree) or ': copy'}"
        case _:
            raise AssertionError(f"{type(kernel).__name__} is no kernel of this engine")
