"""Winograd's algorithm for convolutions with square filters: fewer products, for sums before and after them.

A square of `size` times `size` results takes (size + filter - 1) squared products instead of filter squared for each
result. For a square of data d, a filter g and the matrices of a form, the results are
``show (fold g fold.T * turn d turn.T) show.T``, with matrix products except for ``*``, which
multiplies element by element and sums over channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import prod
from typing import TypeAlias

from hybridlint.runtime.facts.records import record

#: Rows of numbers.
Matrix: TypeAlias = tuple[tuple[float, ...], ...]


@record(frozen=True, slots=True)
class Form:
    """The matrices for squares of `size` results and filters so wide: of the data, the filters, and the results."""

    size: int
    filter: int
    turn: Matrix
    fold: Matrix
    show: Matrix

    @property
    def width(self) -> int:
        """The width of a square of data."""
        return self.size + self.filter - 1


def _form(size: int, filter: int, *points: Fraction) -> Form:
    """Return the matrices for squares of `size` results, derived from size + filter - 2 points and infinity.

    A filter and data are taken for polynomials: their values at the points, multiplied, give those of the product, from
    which its coefficients follow (the construction of Toom and Cook).
    """
    width = size + filter - 1
    others = [[q for q in points if q != p] for p in points]
    turn = [(*_coefficients(rest), Fraction(0)) for rest in others]
    fold = [[p**k / prod(p - q for q in rest) for k in range(filter)] for p, rest in zip(points, others, strict=True)]
    show = [[*(p**k for p in points), Fraction(k == size - 1)] for k in range(size)]
    last = [Fraction(k == filter - 1) for k in range(filter)]
    assert len(points) == width - 1
    return Form(size, filter, _floats([*turn, _coefficients(points)]), _floats([*fold, last]), _floats(show))


def _coefficients(zeros: Sequence[Fraction]) -> list[Fraction]:
    """Return the coefficients of the polynomial with these zeros, the constant one first."""
    found = [Fraction(1)]
    for zero in zeros:
        found = [below - zero * here for below, here in zip([Fraction(0), *found], [*found, Fraction(0)], strict=True)]
    return found


def _floats(rows: Sequence[Sequence[Fraction]]) -> Matrix:
    return tuple(tuple(map(float, row)) for row in rows)


#: Points near 1, and their negatives. With 2 in place of 3/2 the largest error would be four times as large.
_NEAR = (Fraction(0), Fraction(3, 4), Fraction(-3, 4), Fraction(3, 2), Fraction(-3, 2))
FORMS = (_form(2, 3, Fraction(0), Fraction(1), Fraction(-1)), _form(4, 3, *_NEAR), _form(2, 5, *_NEAR))
