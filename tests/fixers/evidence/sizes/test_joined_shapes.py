"""Shapes that code puts together: their sizes one by one, where their number is known."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.sizes.joined_shapes import sizes_of
from hybridlint.text.syntax import expression

SIZES = {
    "(n, -1)": ["n", "-1"],
    "x.shape[:2] + (-1,)": ["x.shape[0]", "x.shape[1]", "-1"],
    "(n, *x.shape[1:3])": ["n", "x.shape[1]", "x.shape[2]"],
    "x.shape[0:1] + (h * w,) + y.shape[2:3]": ["x.shape[0]", "h * w", "y.shape[2]"],
}
UNKNOWN = ["x.shape", "x.shape[1:]", "x.shape[-2:0]", "x.shape[:n]", "(n, *rest)", "x.shape[::2]", "sizes + (1,)"]


@pytest.mark.parametrize(("shape", "sizes"), SIZES.items())
def test_sizes(shape: str, sizes: list[str]) -> None:
    found = sizes_of(expression(shape))
    assert found is not None
    assert [ast.unparse(size) for size in found] == sizes


@pytest.mark.parametrize("shape", UNKNOWN)
def test_shapes_of_unknown_length(shape: str) -> None:
    assert sizes_of(expression(shape)) is None
