"""The size of an axis as a quotient of named factors, and the sizes of a tensor's axes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import prod

from hybridlint.runtime.facts.dims import Dim, DimLike, fresh_name
from hybridlint.runtime.facts.records import record


@record(frozen=True, slots=True)
class AxisSize:
    """The size of an axis as a product of factors divided by a product of others.

    A factor is written as a text: the size of an axis (``x[0]``), a setting (``self.heads``), or a prime number.
    """

    factors: tuple[str, ...]
    divisors: tuple[str, ...] = ()

    @property
    def sized(self) -> bool:
        """Whether the size of an axis is among the factors or divisors."""
        return any("[" in factor for factor in (*self.factors, *self.divisors))

    def __mul__(self, other: AxisSize) -> AxisSize:
        return _quotient((*self.factors, *other.factors), (*self.divisors, *other.divisors))

    def __floordiv__(self, other: AxisSize) -> AxisSize:
        return _quotient((*self.factors, *other.divisors), (*self.divisors, *other.factors))


def unknown_size() -> AxisSize:
    """Return a size that is equal to itself alone."""
    return AxisSize((f"{fresh_name()}[0]",))


def of_number(number: int) -> AxisSize:
    """Return a number as the product of its prime factors, so that ``2 * 2`` is 4."""
    factors: list[str] = []
    prime = 2
    while number > 1:
        while number % prime == 0:
            factors.append(str(prime))
            number //= prime
        prime = prime + 1 if prime * prime <= number else number
    return AxisSize(tuple(sorted(factors)))


def _quotient(factors: tuple[str, ...], divisors: tuple[str, ...]) -> AxisSize:
    """Return the quotient of two products, with common factors cancelled."""
    if not divisors:
        return AxisSize(tuple(sorted(factors)))
    above, below = Counter(factors), Counter(divisors)
    common = above & below
    return AxisSize(tuple(sorted((above - common).elements())), tuple(sorted((below - common).elements())))


@record(frozen=True, slots=True)
class TensorAxes:
    """The sizes of the leading axes of a tensor; `whole` says that these are all of its axes."""

    sizes: tuple[AxisSize, ...]
    whole: bool
    #: The size of the last axis.
    last: AxisSize | None = None


def product(sizes: Iterable[AxisSize]) -> AxisSize:
    """Return the product of some sizes."""
    parts = tuple(sizes)
    return _quotient(
        tuple(factor for part in parts for factor in part.factors),
        tuple(divisor for part in parts for divisor in part.divisors),
    )


def dim_of(size: AxisSize) -> DimLike:
    """Return a size as the shape rules know it: a number, or a name that equal sizes share."""
    if not size.divisors and all(factor.isdecimal() for factor in size.factors):
        return prod(map(int, size.factors))
    return Dim.named(name_of(size))


def name_of(size: AxisSize) -> str:
    """Return the name of a size in shapes; equal sizes share it."""
    return "{}/{}".format("*".join(size.factors), "*".join(size.divisors))


def size_of(dim: DimLike, names: Mapping[str, AxisSize]) -> AxisSize | None:
    """Return an output's size in terms of the input's sizes; None if it is not a product of them."""
    if isinstance(dim, int):
        return of_number(dim)
    if len(dim.terms) != 1 or any(name not in names for name in dim.terms[0][0]):
        return None
    size = of_number(dim.terms[0][1])
    for name in dim.terms[0][0]:
        size = size * names[name]
    return size


def axis_of(axes: TensorAxes | None, place: int | None) -> AxisSize | None:
    """Return the size of an axis, counted from the end where `place` is negative; None if it is not known."""
    if axes is None or place is None or (place < 0 and not axes.whole):
        return axes.last if axes is not None and place == -1 else None
    return axes.sizes[place] if -len(axes.sizes) <= place < len(axes.sizes) else None
