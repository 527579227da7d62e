"""Kernels that GPUs have besides loops and rows: frames around values, rows of tables, and the products of cuBLAS."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hybridlint.runtime.compiled.lowering.kernels import Access
from hybridlint.runtime.compiled.lowering.values import Sizes


@dataclass(frozen=True, eq=False, slots=True)
class MatrixProduct:
    """Matrix products (batches ..., rows, columns), with sums over `inner`; each place has the axes of its matrices."""

    sizes: Sizes
    inner: int
    left: Access
    right: Access
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield self.left
        yield self.right


@dataclass(frozen=True, eq=False, slots=True)
class BorderFrame:
    """A number around a block that begins `before` along each axis and is as large as `inside`, in one launch."""

    sizes: Sizes
    before: Sizes
    inside: Sizes
    number: float
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes."""
        yield self.target


@dataclass(frozen=True, eq=False, slots=True)
class Gather:
    """Elements of the `rows` of a table, which begin `step` apart, at positions that are read.

    `positions` and `table` have a step for each axis of the domain, 0 where the other goes along.
    """

    sizes: Sizes
    rows: int
    step: int
    positions: Access
    table: Access
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield self.positions
        yield self.table
