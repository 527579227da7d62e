"""The sizes and axes that the code of a function shows."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import field

from hybridlint.analysis.model.events import CodeContext
from hybridlint.analysis.model.values import StaticValue, Unknown
from hybridlint.fixers.evidence.numbers_kept import keeps_number
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes
from hybridlint.fixers.evidence.sizes.called_axes import axes_of_call, axes_of_two
from hybridlint.fixers.evidence.sizes.cut_axes import axes_of_subscript
from hybridlint.fixers.evidence.sizes.named_axes import axes_of_name
from hybridlint.fixers.evidence.sizes.size_expressions import reads_tensor, size_of
from hybridlint.fixers.evidence.sizes.size_reader import DEEPEST
from hybridlint.fixers.toolkit.names import dotted_parts
from hybridlint.runtime.facts.records import record, replace


@record(slots=True)
class AxisCache:
    """The axes found so far, by expression and by the rank that other code shows, within the depth limit."""

    #: The expressions that are not followed: the chains that lead there are too long.
    too_far: list[ast.expr] = field(default_factory=list)
    axes: dict[tuple[ast.expr, int | None], tuple[TensorAxes | None]] = field(default_factory=dict)


@record(frozen=True, slots=True)
class SizeInference:
    """Reads the sizes and axes that the code of a function shows: the `SizeReader` that its parts ask.

    With `guess`, child blocks are assumed to keep the first axis of their input, operators to get as few axes as they
    take, and inputs of a loss to have one batch.
    """

    frame: CodeContext
    guess: bool = False
    depth: int = 0
    #: The ranks of parameters that the caller of a helper knows.
    ranks: Mapping[str, int] = field(default_factory=dict)
    #: What this reader and those made of it have found, since a tensor's axes are asked for once for each of its sizes.
    found: AxisCache = field(default_factory=AxisCache)

    @property
    def deeper(self) -> SizeInference:
        """The same reader for a part of the expression: `depth` is one more, which bounds how far code is followed."""
        return replace(self, depth=self.depth + 1)

    def within(self, frame: CodeContext, ranks: Mapping[str, int], *, deeper: int = 0) -> SizeInference:
        """Return a reader of another function, which has come some expressions `deeper` by then."""
        return replace(self, frame=frame, ranks=ranks, depth=self.depth + deeper, found=AxisCache(self.found.too_far))

    def size(self, node: ast.expr) -> AxisSize | None:
        """Return the size that an expression reads or computes; None for anything else, such as -1."""
        return size_of(self, node)

    def reads_tensor(self, node: ast.expr) -> bool:
        """Return whether an expression reads a size of a tensor, by itself or by names that the function binds."""
        return reads_tensor(self, node)

    def axes(self, node: ast.expr, rank: int | None = None) -> TensorAxes | None:
        """Return the axes of a tensor, as the code of the function shows them; other code may show its `rank`."""
        if self.depth > DEEPEST:
            self.found.too_far.append(node)
            return None
        known = self.found.axes.get((node, rank))
        if known is not None:
            return known[0]
        too_far = len(self.found.too_far)
        found = self._axes(node, rank)
        if len(self.found.too_far) == too_far:
            self.found.axes[node, rank] = (found,)
        return found

    def _axes(self, node: ast.expr, rank: int | None) -> TensorAxes | None:
        found = None
        match node:
            case ast.Name():
                found = axes_of_name(self, node, rank)
            case (
                ast.UnaryOp(operand=inner)
                | ast.BinOp(left=inner, right=ast.Constant())
                | ast.BinOp(left=ast.Constant(), right=inner)
            ):
                found = self.deeper.axes(inner, rank)
            case ast.BinOp(left=left, right=right) if self._is_number(left) or self._is_number(right):
                found = self.deeper.axes(right if self._is_number(left) else left, rank)
            case ast.BinOp(left=left, right=right):
                found = axes_of_two(self.deeper, left, right)
            case ast.Subscript():
                found = axes_of_subscript(self.deeper, node)
            case ast.Call():
                found = axes_of_call(self.deeper, node, rank)
        return found

    def _is_number(self, node: ast.expr) -> bool:
        """Whether an operand is a number: a known setting or, as a guess, an attribute of unknown kind."""
        held = self.frame.seen.value(node)
        if not isinstance(held, Unknown):
            return isinstance(held, StaticValue)
        guessed = self.guess and isinstance(node, ast.Attribute) and (dotted_parts(node) or ("",))[0] == "self"
        return guessed or keeps_number(self.frame, node)
