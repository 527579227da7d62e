"""The protocol by which the readers of sizes and axes call each other."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from typing import Protocol

from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes

#: The longest chain of expressions that is followed.
DEEPEST = 30


class SizeReader(Protocol):
    """Reads the sizes and axes that the code of one function shows.

    The axes of a tensor go by sizes that its code computes, and these by axes: each part asks the reader for the other.
    """

    @property
    def frame(self) -> CodeContext:
        """The function."""

    @property
    def guess(self) -> bool:
        """Whether likely facts count as well as sure ones."""

    @property
    def depth(self) -> int:
        """How many expressions led here."""

    @property
    def ranks(self) -> Mapping[str, int]:
        """The ranks of parameters that the caller of a helper knows."""

    @property
    def deeper(self) -> SizeReader:
        """The same reader for a part of the expression: `depth` is one more, which bounds how far code is followed."""

    def within(self, frame: CodeContext, ranks: Mapping[str, int], *, deeper: int = 0) -> SizeReader:
        """Return a reader of another function, which has come some expressions `deeper` by then."""

    def size(self, node: ast.expr) -> AxisSize | None:
        """Return the size that an expression reads or computes; None for anything else, such as -1."""

    def axes(self, node: ast.expr, rank: int | None = None) -> TensorAxes | None:
        """Return the axes of a tensor, as the code of the function shows them; other code may show its `rank`."""
