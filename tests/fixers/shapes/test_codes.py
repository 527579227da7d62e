"""Codes of reshape for target sizes, in either mode."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.axis_size import AxisSize, TensorAxes
from hybridlint.fixers.shapes.codes import LEGACY, NUMPY, Codes, ReshapeTarget, codes_for, two_steps

A, B, C, TWO = (AxisSize((text,)) for text in ("x[0]", "x[1]", "x[2]", "2"))
ALL = TensorAxes((A, B, C), whole=True)


def _targets(*sizes: AxisSize | None) -> list[ReshapeTarget]:
    return [ReshapeTarget(ast.Constant(value=2) if size == TWO else ast.Constant(value=-1), size) for size in sizes]


def _numbers(found: object) -> object:
    if isinstance(found, ast.Constant):
        return found.value
    return [_numbers(part) for part in found] if isinstance(found, list | tuple) else found


CASES = {
    "axes that stay": ([A, B, C], LEGACY, [0, 0, 0]),
    "axes that stay, in numpy mode": ([A, B, C], NUMPY, [-2, -2, -2]),
    "two merged": ([A * B, C], LEGACY, [-3, 0]),
    "two merged, in numpy mode": ([A * B, C], NUMPY, [-5, -2]),
    "the last one split": ([A, B, TWO, C // TWO], LEGACY, [0, 0, 2, -1]),
    "one split": ([A, TWO, B // TWO, C], LEGACY, [0, -4, 2, -1, 0]),
    "one split, in numpy mode": ([A, TWO, B // TWO, C], NUMPY, [-2, -6, 2, -1, -2]),
    "the first one split by a setting": ([None, TWO, B, C], LEGACY, [-4, -1, 2, 0, 0]),
    "the first one split by a setting, in numpy mode": ([None, TWO, B, C], NUMPY, [-6, -1, 2, -2, -2]),
    "the rest inferred": ([A, None], LEGACY, [0, -1]),
}


@pytest.mark.parametrize(("targets", "codes", "found"), CASES.values(), ids=CASES.keys())
def test_one_reshape(targets: list[AxisSize | None], codes: Codes, found: list[int]) -> None:
    assert _numbers(codes_for(ALL, _targets(*targets), codes)) == found


def test_no_codes_for_axes_in_another_order() -> None:
    assert codes_for(ALL, _targets(B, A, C), LEGACY) is None


def test_three_axes_are_merged_in_two_steps() -> None:
    assert _numbers(two_steps(ALL, _targets(A * B * C), LEGACY)) == [[-3, 0], [-3]]


def test_two_steps_need_all_axes() -> None:
    assert two_steps(TensorAxes((A, B, C), whole=False), _targets(A * B * C), LEGACY) is None


def test_a_size_of_a_tensor_is_copied_where_it_is_a_number() -> None:
    source = TensorAxes((AxisSize(("x[0]",)), AxisSize(("2", "2"))), whole=True)
    read, plain = (ReshapeTarget(ast.Name("c"), AxisSize(("2", "2")), read=read) for read in (True, False))
    assert codes_for(source, [ReshapeTarget(ast.Name("n"), source.sizes[0]), read], LEGACY) == [0, 0]
    assert codes_for(source, [ReshapeTarget(ast.Name("n"), source.sizes[0]), plain], LEGACY) == [0, plain.node]
