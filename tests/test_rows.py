"""Rows of one version of a text in another one."""

from __future__ import annotations

import pytest

from hybridlint.text.edits import Edit, apply_edits, origin
from hybridlint.text.rows import rows_between, stays
from hybridlint.text.source import Span


def test_rows_move_with_their_lines() -> None:
    before, after = "a\nb\nc\nd\n", "new\na\nb\nC1\nC2\nd\n"
    assert [rows_between(before, after)(row) for row in (1, 2, 3, 4)] == [2, 3, 4, 6]
    assert [rows_between(after, before)(row) for row in (2, 3, 4, 5, 6)] == [1, 2, 3, 3, 4]
    assert rows_between(before, before)(3) == 3


def test_lines_that_stay_are_told_from_those_that_change() -> None:
    assert stays("a\nb\n", "x\na\nB\n", 1)
    assert not stays("a\nb\n", "x\na\nB\n", 2)


@pytest.mark.parametrize(("at", "came_from"), [(0, (0, 0)), (2, (2, 0)), (3, (2, 1)), (7, (4, 0)), (9, (6, 0))])
def test_offsets_before_edits(at: int, came_from: tuple[int, int]) -> None:
    edits = [Edit(Span(2, 4), "12345"), Edit(Span(6, 6), "")]
    assert apply_edits("abcdef", edits) == "ab12345ef"
    assert origin(edits, at) == came_from
