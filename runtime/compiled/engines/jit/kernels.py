"""Kernels that processors have besides loops and folds: matrix products over packed panels."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hybridlint.runtime.compiled.groups.kernels import Access, Tree
from hybridlint.runtime.compiled.groups.values import Sizes, Value


@dataclass(frozen=True, eq=False, slots=True)
class Pack:
    """The right operand of matrix products in panels: columns of a panel lie together, row after row.

    The source has the axes (batches ..., rows ..., columns), of which `batches` are the first. The last panel is filled
    up with zeros.
    """

    sizes: Sizes
    batches: int
    width: int
    source: Access
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield self.source


@dataclass(frozen=True, eq=False, slots=True)
class Multiply:
    """Matrix products, finished by a function of elements.

    The domain is (batches ..., rows, columns), and products are summed over axes of the sizes `inner`. `left` has the
    axes (batches ..., rows, inner ...); `panels` is what `Pack` has made, with a step for each batch axis. `product` is
    the value in the tree that stands for the sums.
    """

    sizes: Sizes
    inner: Sizes
    left: Access
    panels: Access
    tile: tuple[int, int]
    tree: Tree
    product: Value
    target: Access

    def accesses(self) -> Iterator[Access]:
        """Return where it writes, then where it reads."""
        yield self.target
        yield self.left
        yield self.panels
        yield from self.tree.leaves.values()
