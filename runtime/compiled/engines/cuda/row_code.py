"""The text of kernels over rows: blocks of X rows by Y threads, with sums put together in shared memory."""

from __future__ import annotations

from collections.abc import Sequence

from hybridlint.runtime.compiled.engines.cuda.code import (
    MOST_BLOCKS,
    Code,
    KernelParameters,
    function,
    indent_lines,
    index_type,
    indices,
)
from hybridlint.runtime.compiled.engines.cuda.expressions import Statements
from hybridlint.runtime.compiled.engines.cuda.functions import IDENTITY, literal
from hybridlint.runtime.compiled.engines.cuda.rows import RowPart, Rows
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Fold
from hybridlint.runtime.compiled.lowering.places import merge_axes
from hybridlint.runtime.compiled.lowering.values import HALF, Sizes


def row_code(kernel: Rows) -> Code:
    """Return the code of parts over rows."""
    return _Writing(kernel).code()


class _Writing:
    def __init__(self, kernel: Rows) -> None:
        self._kernel = kernel
        self._block = kernel.block
        self._parameters = KernelParameters(
            [part.target for part in kernel.parts if part.target.buffer not in kernel.inside],
            [leaf for part in kernel.parts for leaf in part.leaves if leaf.buffer not in kernel.inside],
        )
        self._steps, self._row_sizes, self._own_sizes = self._merged()
        self._row_names = [f"r{k}" for k in range(len(self._row_sizes))]
        self._own_names = [f"e{k}" for k in range(len(self._own_sizes))]
        self._single: dict[Buffer, str] = {}
        self._shared: dict[Buffer, str] = {}
        self._next = 0

    def code(self) -> Code:
        """Return the whole kernel."""
        kernel, block = self._kernel, self._block
        rows = kernel.domain.rows * kernel.chunks
        steps = [line for part in kernel.parts for line in self._part(part)]
        x, y = ("%", "/") if block.upright else ("/", "%")
        across = block.rows if block.upright else block.lanes
        length = kernel.domain.length
        accesses = [access for part in kernel.parts for access in (part.target, *part.leaves)]
        body = [
            *([f"__shared__ float sums[{block.threads}];"] if block.lanes > 1 else []),
            *(f"__shared__ float {name}[{block.rows * length}];" for name in self._shared.values()),
            f"const int x = threadIdx.x {x} {across}, y = threadIdx.x {y} {across};",
            f"const Index all = (Index)gridDim.x * {block.rows};",
            f"for (Index first = (Index)blockIdx.x * {block.rows}; first < {rows}; first += all) {{",
            *indent_lines(self._row_start(rows)),
            *indent_lines(steps),
            "}",
        ]
        text = function(self._parameters, index_type(max(rows, length), accesses), body)
        blocks = min(-(-rows // block.rows), MOST_BLOCKS)
        return Code(text, self._parameters.buffers, blocks, block.threads)

    def _merged(self) -> tuple[dict[Access, Sizes], Sizes, Sizes]:
        """Return the steps of each access after merging axes, and the sizes of axes across rows and along them."""
        kernel, domain = self._kernel, self._kernel.domain
        accesses = list(dict.fromkeys(a for part in self._kernel.parts for a in (part.target, *part.leaves)))
        nest, along = merge_axes(domain.sizes, accesses, kernel.order, domain.along)
        split = len(nest.sizes) - len(along)
        return dict(zip(accesses, nest.steps, strict=True)), nest.sizes[:split], nest.sizes[split:]

    def _row_start(self, rows: int) -> list[str]:
        """Return the statements that find a thread's row. Threads without one go along with the last."""
        lines = [f"const Index row = first + x < {rows} ? first + x : {rows - 1};"]
        if rows % self._block.rows:
            lines.append(f"const bool here = first + x < {rows};")
        whole = "row"
        if self._kernel.chunks > 1:
            lines += [f"const Index piece = row % {self._kernel.chunks};"]
            lines += [f"const Index own = row / {self._kernel.chunks};"]
            whole = "own"
        return [*lines, *(indices(self._row_names, self._row_sizes, whole) if self._row_names else [])]

    def _guard(self, *conditions: str) -> str:
        """Return the condition under which a thread writes."""
        outside = self._kernel.domain.rows * self._kernel.chunks % self._block.rows
        wanted = [*(["here"] if outside else []), *conditions]
        return f"if ({' && '.join(wanted)}) " if wanted else ""

    def _part(self, part: RowPart) -> list[str]:
        if isinstance(part.kernel, Fold):
            return self._fold(part, part.kernel)
        return self._elements(part) if part.whole else self._once(part)

    # -- parts

    def _fold(self, part: RowPart, kernel: Fold) -> list[str]:
        name = self._new("f")
        lines, result = self._computed(part)
        total = [
            f"float {name} = {literal(IDENTITY[kernel.function])};",
            *self._along([*lines, f"{name} = {kernel.function}({name}, {result});"]),
            *self._together(name, kernel.function),
        ]
        if part.target.buffer.dtype == HALF:
            total.append(f"{name} = to_float(to_half({name}));")
        return [*total, *self._kept_once(part, name)]

    def _together(self, name: str, combine: str) -> list[str]:
        """Return the statements that combine the numbers of a row's threads, so that all of them have the result."""
        block = self._block
        if block.lanes == 1:
            return []
        other = f"sums[threadIdx.x + reach * {block.stride}]" if block.stride > 1 else "sums[threadIdx.x + reach]"
        first = "x" if block.upright else f"x * {block.lanes}"
        return [
            f"sums[threadIdx.x] = {name};",
            "__syncthreads();",
            f"for (int reach = {block.lanes // 2}; reach; reach /= 2) {{",
            f"    if (y < reach) sums[threadIdx.x] = {combine}(sums[threadIdx.x], {other});",
            "    __syncthreads();",
            "}",
            f"{name} = sums[{first}];",
            "__syncthreads();",
        ]

    def _once(self, part: RowPart) -> list[str]:
        """Return the statements of one number for each row, which every thread computes for itself."""
        lines, result = self._computed(part)
        name = self._new("n")
        return [*lines, f"const float {name} = {result};", *self._kept_once(part, name)]

    def _kept_once(self, part: RowPart, name: str) -> list[str]:
        self._single[part.target.buffer] = name
        if part.target.buffer in self._kernel.inside:
            return []
        where = [*self._row_names, *("0" for _ in self._own_names)]
        stored = self._stored(part.target, where, name)
        return [f"{self._guard('y == 0') if self._block.lanes > 1 else self._guard()}{stored}"]

    def _stored(self, target: Access, where: Sequence[str], name: str) -> str:
        steps = self._steps[target]
        if self._kernel.chunks > 1:
            return self._parameters.stored(Access(target.buffer, target.start, (*steps, 1)), [*where, "piece"], name)
        return self._parameters.stored(Access(target.buffer, target.start, steps), where, name)

    def _elements(self, part: RowPart) -> list[str]:
        lines, result = self._computed(part)
        target = part.target
        if target.buffer in self._kernel.inside:
            kept = self._shared[target.buffer] = f"kept{len(self._shared)}"
            write = f"{kept}[x * {self._kernel.domain.length} + at] = {result};"
        else:
            write = self._guard() + self._stored(target, [*self._row_names, *self._own_names], result)
        return self._along([*lines, write])

    def _along(self, body: Sequence[str]) -> list[str]:
        """Return a loop of each thread over its elements of the row."""
        length, chunks = self._kernel.domain.length, self._kernel.chunks
        begin, end = "y", str(length)
        if chunks > 1:
            piece = -(-length // chunks)
            begin = f"piece * {piece} + y"
            end = f"(piece == {chunks - 1} ? {length} : (piece + 1) * {piece})"
        places = indices(self._own_names, self._own_sizes, "at") if self._own_names else []
        return [
            f"for (Index at = {begin}; at < {end}; at += {self._block.lanes}) {{",
            *indent_lines([*places, *body]),
            "}",
        ]

    def _computed(self, part: RowPart) -> tuple[list[str], str]:
        """Return the statements that compute an element, and the element's name."""
        names = [*self._row_names, *(self._own_names if part.whole else ("0" for _ in self._own_names))]
        known, lines = {}, []
        for value, leaf in zip(part.kernel.tree.leaves, part.leaves, strict=True):
            if leaf.buffer in self._single:
                known[value] = self._single[leaf.buffer]
                continue
            name = known[value] = self._new("v")
            lines.append(f"const float {name} = {self._loaded(leaf, names)};")
        statements = Statements(known, self._next)
        result = statements.named(part.kernel.tree.root)
        self._next += len(statements.lines)
        return [*lines, *statements.lines], result

    def _loaded(self, leaf: Access, names: Sequence[str]) -> str:
        if leaf.buffer in self._shared:
            return f"{self._shared[leaf.buffer]}[x * {self._kernel.domain.length} + at]"
        return self._parameters.loaded(Access(leaf.buffer, leaf.start, self._steps[leaf]), names)

    def _new(self, prefix: str) -> str:
        self._next += 1
        return f"{prefix}{self._next - 1}"
