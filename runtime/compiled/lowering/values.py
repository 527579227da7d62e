"""Values of a graph as whole arrays: element-wise functions, views, reductions and products of stored arrays."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import isinf, prod
from typing import TypeAlias

from hybridlint.runtime.platforms.protocol import Raw

Sizes: TypeAlias = tuple[int, ...]

#: The element type that is stored besides float32, and the function that rounds to it.
HALF = "float16"
ROUNDED = "as_half"


class CannotLower(Exception):
    """Raised for what an engine has no native code for; the message names it in a few words."""


@dataclass(frozen=True, eq=False, slots=True)
class ArrayValue:
    """An array of float32, or of truth values where `predicate`; these are never stored.

    What `is_half` may lie in memory as float16: its numbers are float16's. Each value knows that when it is made: asked
    for later, it would go through all values before it, of which deep graphs have thousands.
    """

    shape: Sizes
    predicate: bool = False
    is_half: bool = field(init=False, default=False)

    def __post_init__(self) -> None:
        """Store whether the value's numbers are float16."""
        object.__setattr__(self, "is_half", self._has_halves())

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """The values that it is computed from."""
        return ()

    def _has_halves(self) -> bool:
        """Return whether all its elements are numbers of float16."""
        return False

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.shape)


@dataclass(frozen=True, eq=False, slots=True)
class Given(ArrayValue):
    """An array that exists before native code runs: `number` is the graph's number of the value."""

    number: int = -1
    dtype: str = "float32"

    def _has_halves(self) -> bool:
        """Return whether it is an array of float16."""
        return self.dtype == HALF


@dataclass(frozen=True, eq=False, slots=True)
class Table(ArrayValue):
    """Numbers that are known when code is made."""

    raw: Raw | None = None


@dataclass(frozen=True, eq=False, slots=True)
class Number(ArrayValue):
    """A number that is known when code is made."""

    number: float = 0.0


@dataclass(frozen=True, eq=False, slots=True)
class Map(ArrayValue):
    """A function of elements; the arguments are repeated along dimensions of size 1, as in numpy."""

    function: str = ""
    arguments: tuple[ArrayValue, ...] = ()
    #: How many functions a view of it would have to repeat.
    weight: int = 1

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """Its arguments."""
        return self.arguments

    def _has_halves(self) -> bool:
        """Return whether it was rounded to float16."""
        return self.function == ROUNDED


@dataclass(frozen=True, slots=True)
class Along:
    """A position along an axis of an array: `start` plus the indices of a view's axes times their factors."""

    start: int = 0
    terms: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class _OfOne(ArrayValue):
    """A value with the elements of one other value."""

    source: ArrayValue = ArrayValue(())

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """What has the elements."""
        return (self.source,)

    def _has_halves(self) -> bool:
        """Return whether its source has numbers of float16 alone."""
        return self.source.is_half


@dataclass(frozen=True, eq=False, slots=True)
class ArrayView(_OfOne):
    """Elements of another value: one position for each of its axes."""

    index: tuple[Along, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Flat(_OfOne):
    """The elements of another value in their order, in a shape that no view can give."""


@dataclass(frozen=True, eq=False, slots=True)
class StoredArray(_OfOne):
    """A value that several nodes use: views of it look at memory, so that it is computed once."""


@dataclass(frozen=True, eq=False, slots=True)
class Reduce(ArrayValue):
    """Elements combined over axes, which are dropped: ``add``, ``multiply``, ``maximum`` or ``minimum``."""

    function: str = ""
    source: ArrayValue = ArrayValue(())
    axes: Sizes = ()

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """What is reduced."""
        return (self.source,)


@dataclass(frozen=True, eq=False, slots=True)
class Product(ArrayValue):
    """Sums of products. `left` has the axes (batches ..., rows, inner ...), `right` (batches ..., inner ..., columns).

    The result has the axes (batches ..., rows, columns); sums are taken over the last `inner` axes of `left`.
    """

    left: ArrayValue = ArrayValue(())
    right: ArrayValue = ArrayValue(())
    inner: int = 1

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """The two operands."""
        return (self.left, self.right)

    def _has_halves(self) -> bool:
        """Return whether its operands have numbers of float16 alone: the sums are float32's, and rounded then."""
        return self.left.is_half and self.right.is_half


@dataclass(frozen=True, eq=False, slots=True)
class Padded(ArrayValue):
    """A value with a frame of one number around it: a given number of elements before and after, for each axis."""

    source: ArrayValue = ArrayValue(())
    before: Sizes = ()
    number: float = 0.0
    #: Whether its elements follow each other in memory in the order of its axes.
    in_order: bool = False

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """The value inside of the frame."""
        return (self.source,)

    def _has_halves(self) -> bool:
        """Return whether all numbers are float16: those inside, and the frame, which must be zeros or infinities."""
        return self.source.is_half and (self.number == 0 or isinf(self.number))


@dataclass(frozen=True, eq=False, slots=True)
class Joined(ArrayValue):
    """Values of equal rank one after another along an axis."""

    parts: tuple[ArrayValue, ...] = ()
    axis: int = 0

    @property
    def sources(self) -> tuple[ArrayValue, ...]:
        """The parts."""
        return self.parts

    def _has_halves(self) -> bool:
        """Return whether all parts have numbers of float16 alone."""
        return all(part.is_half for part in self.parts)
