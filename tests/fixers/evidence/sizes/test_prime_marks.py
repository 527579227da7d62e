"""Primes that stand for sizes which the code computes."""

from __future__ import annotations

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, of_number
from hybridlint.fixers.evidence.sizes.prime_marks import PrimeMarks

UNITS, HEADS = AxisSize(("self.units",)), AxisSize(("self.heads",))


def test_a_mark_stands_for_its_size_wherever_it_is_a_factor() -> None:
    marks = PrimeMarks()
    units, heads = marks.mark(UNITS), marks.mark(HEADS)
    assert units is not None
    assert heads is not None
    assert marks.size(of_number(units * 2)) == UNITS * of_number(2)
    assert marks.size(of_number(units) // of_number(heads)) == UNITS // HEADS


def test_a_number_that_is_no_mark_stays() -> None:
    assert PrimeMarks().size(of_number(12)) == of_number(12)


def test_there_are_few_marks() -> None:
    marks = PrimeMarks()
    given = [marks.mark(UNITS) for _ in range(10)]
    assert None in given
    assert len({number for number in given if number is not None}) == sum(number is not None for number in given)
