"""Common parts of the text of kernels: parameters, positions in memory, and launches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hybridlint.runtime.compiled.engines.cuda.functions import stored_type
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Kernel
from hybridlint.runtime.compiled.lowering.values import HALF, Sizes

#: Stands in a text where the kernel's name goes: kernels of the same text are one function.
NAME = "NAME"
#: From so many elements on positions are 64-bit numbers: some more than the threads of a launch below 2**31.
_WIDE = 1 << 30
#: Blocks of a launch. Threads go on with further elements, so that more are not needed.
MOST_BLOCKS = 1 << 16


@dataclass(frozen=True, slots=True)
class Code:
    """The text of a kernel, the buffers whose addresses it takes, and the blocks and threads of a launch."""

    text: str
    buffers: tuple[Buffer, ...]
    blocks: int
    threads: int


class KernelParameters:
    """The parameters of a kernel: one pointer for each buffer, which only reads where nothing is written to it."""

    def __init__(self, written: Iterable[Access], read: Iterable[Access]) -> None:
        self._written = {access.buffer for access in written}
        self._read = {access.buffer for access in read}
        self.buffers = tuple(sorted(self._written | self._read, key=lambda buffer: buffer.number))
        self._names = {buffer: f"p{k}" for k, buffer in enumerate(self.buffers)}

    def declared(self) -> str:
        """Return the declarations."""
        return ", ".join(map(self._declared, self.buffers))

    def _declared(self, buffer: Buffer) -> str:
        kind, name = stored_type(buffer.dtype), self._names[buffer]
        if buffer not in self._written:
            return f"const {kind}* __restrict__ {name}"
        return f"{kind}* {name}" if buffer in self._read else f"{kind}* __restrict__ {name}"

    def loaded(self, access: Access, names: Sequence[str]) -> str:
        """Return the element of an access at indices with these names."""
        return f"to_float({self._element(access, names)})"

    def stored(self, access: Access, names: Sequence[str], number: str) -> str:
        """Return the statement that writes a number there."""
        value = f"to_half({number})" if access.buffer.dtype == HALF else number
        return f"{self._element(access, names)} = {value};"

    def _element(self, access: Access, names: Sequence[str]) -> str:
        return f"{self._names[access.buffer]}[{position(access.start, access.steps, names)}]"


def position(start: int, steps: Sizes, names: Sequence[str]) -> str:
    """Return a position in memory: the start, and each index times its step."""
    terms = [name if step == 1 else f"{name} * {step}" for name, step in zip(names, steps, strict=True) if step]
    return " + ".join([*terms, *([str(start)] if start or not terms else [])])


def indices(names: Sequence[str], sizes: Sizes, whole: str) -> list[str]:
    """Return statements that take a number apart into indices, the last of which runs fastest."""
    if len(names) == 1:
        return [f"const Index {names[0]} = {whole};"]
    lines, rest = [], whole
    for k in range(len(names) - 1, 0, -1):
        lines.append(f"const Index {names[k]} = {rest} % {sizes[k]};")
        if k > 1:
            lines.append(f"const Index {whole}_{k} = {rest} / {sizes[k]};")
            rest = f"{whole}_{k}"
        else:
            lines.append(f"const Index {names[0]} = {rest} / {sizes[k]};")
    return lines


def index_type(count: int, accesses: Iterable[Access]) -> str:
    """Return the type of positions: 32 bits where all that is met fits."""
    wide = count >= _WIDE or any(access.buffer.size >= _WIDE for access in accesses)
    return "long long" if wide else "int"


def function(parameters: KernelParameters, index: str, body: Iterable[str]) -> str:
    """Return the text of a kernel."""
    lines = "\n".join(f"    {line}" for line in body)
    return f'extern "C" __global__ void {NAME}({parameters.declared()})\n{{\n    typedef {index} Index;\n{lines}\n}}\n'


def indent_lines(lines: Iterable[str]) -> list[str]:
    """Return lines one step further in."""
    return [f"    {line}" for line in lines]


def reads(kernel: Kernel) -> list[Access]:
    """Return where a kernel reads."""
    _, *found = kernel.accesses()
    return found
