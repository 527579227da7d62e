"""A schedule as functions on the device: the source of its module, and each launch with its buffers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from hybridlint.runtime.compiled.engines.cuda.code import NAME, Code
from hybridlint.runtime.compiled.engines.cuda.elements import element_code, frame_code, gather_code
from hybridlint.runtime.compiled.engines.cuda.functions import PRELUDE
from hybridlint.runtime.compiled.engines.cuda.kernels import BorderFrame, Gather, MatrixProduct
from hybridlint.runtime.compiled.engines.cuda.row_code import row_code
from hybridlint.runtime.compiled.engines.cuda.rows import Rows
from hybridlint.runtime.compiled.lowering.kernels import Kernel, Loop


@dataclass(frozen=True, slots=True)
class Launch:
    """A function, by its number in the module, on the buffers with these numbers."""

    function: int
    buffers: tuple[int, ...]
    blocks: tuple[int]
    threads: tuple[int]
    kernel: Kernel


Action: TypeAlias = Launch | MatrixProduct


class CudaModule:
    """The source of functions for kernels. Kernels of the same text share one."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def actions(self, kernels: Sequence[Kernel]) -> list[Action]:
        """Return the actions that run some kernels, and add their functions."""
        return [kernel if isinstance(kernel, MatrixProduct) else self._launch(kernel) for kernel in kernels]

    def _launch(self, kernel: Kernel) -> Launch:
        code = _code(kernel)
        number = self._numbers.setdefault(code.text, len(self._numbers))
        return Launch(number, tuple(b.number for b in code.buffers), (code.blocks,), (code.threads,), kernel)

    @property
    def names(self) -> list[str]:
        """The names of its functions, in their order."""
        return [f"kernel{number}" for number in self._numbers.values()]

    @property
    def source(self) -> str:
        """The source in CUDA's C."""
        texts = (text.replace(NAME, f"kernel{number}", 1) for text, number in self._numbers.items())
        return "\n".join([PRELUDE, *texts])


def _code(kernel: Kernel) -> Code:
    if isinstance(kernel, Rows):
        return row_code(kernel)
    if isinstance(kernel, BorderFrame):
        return frame_code(kernel)
    if isinstance(kernel, Gather):
        return gather_code(kernel)
    assert isinstance(kernel, Loop)
    return element_code(kernel)
