"""Sizes of axes as products and quotients of factors, and what the shape rules make of them."""

from __future__ import annotations

import pytest

from hybridlint.fixers.evidence.sizes.axis_size import (
    AxisSize,
    TensorAxes,
    axis_of,
    dim_of,
    name_of,
    of_number,
    product,
    size_of,
)

HEADS, UNITS, ROWS = AxisSize(("self.heads",)), AxisSize(("self.units",)), AxisSize(("x[0]",))


def test_common_factors_cancel() -> None:
    assert product([UNITS // HEADS, HEADS]) == UNITS
    assert of_number(12) // of_number(4) == of_number(3)


def test_sizes_of_axes_are_told_from_settings() -> None:
    assert ROWS.sized
    assert (UNITS // ROWS).sized
    assert not UNITS.sized


@pytest.mark.parametrize("size", [ROWS, ROWS * HEADS, UNITS // HEADS, of_number(12)])
def test_a_shape_rule_gives_back_the_size_that_it_was_given(size: AxisSize) -> None:
    assert size_of(dim_of(size), {name_of(size): size}) == size


def test_a_size_that_is_no_product_is_not_known() -> None:
    assert size_of(dim_of(ROWS) + 1, {name_of(ROWS): ROWS}) is None


@pytest.mark.parametrize(
    ("axes", "place", "size"),
    [
        (TensorAxes((ROWS, UNITS), whole=True), -1, UNITS),
        (TensorAxes((ROWS, UNITS), whole=False), 1, UNITS),
        (TensorAxes((ROWS, UNITS), whole=False), -2, None),
        (TensorAxes((ROWS,), whole=False, last=UNITS), -1, UNITS),
        (TensorAxes((ROWS,), whole=True), 3, None),
        (None, 0, None),
        (TensorAxes((ROWS,), whole=True), None, None),
    ],
)
def test_an_axis_by_its_place(axes: TensorAxes | None, place: int | None, size: AxisSize | None) -> None:
    assert axis_of(axes, place) == size
