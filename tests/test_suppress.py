"""Comments that silence findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.rule import Rule
from hybridlint.source import SourceFile
from hybridlint.suppress import noqa_row, suppressions

RULE = Rule("hybridlint.rules.tensor_shape", code="HYB101", summary="for tests")


def _silenced(text: str, row: int = 1) -> bool:
    return suppressions(SourceFile(Path("x.py"), text)).cover(RULE, row)


@pytest.mark.parametrize(
    "comment",
    [
        "# noqa",
        "#noqa",
        "# NOQA",
        "# noqa: HYB101",
        "# noqa:HYB101",
        "# noqa: E501, HYB101",
        "# noqa: E501 HYB101",
        "# noqa: hyb101",
        "# noqa: HYB1",
        "# noqa: tensor-shape",
        "# type: ignore # noqa: HYB101",
        "# noqa: HYB101 # because of this",
        "# noqa: HYB101 because of this",
        "# hybridlint: ignore",
        "# hybridlint: ignore[HYB101]",
        "# hybridlint: ignore[tensor-shape]",
        "# hybridlint:ignore[HYB2, HYB1]",
    ],
)
def test_silencing_comments(comment: str) -> None:
    assert _silenced(f"y = x.shape  {comment}\n")
    assert not _silenced(f"y = 1  {comment}\ny = x.shape\n", row=2)


@pytest.mark.parametrize(
    "comment",
    ["# noqa: E501", "# noqa: HYB102", "# noqaHYB", "# hybridlint: ignore[HYB2]", "# hybridlint: ignore[]", "# no qa"],
)
def test_other_comments(comment: str) -> None:
    assert not _silenced(f"y = x.shape  {comment}\n")


def test_a_string_is_no_comment() -> None:
    assert not _silenced("y = x.shape, '# noqa'\n")


def test_a_whole_file() -> None:
    assert _silenced("# hybridlint: ignore-file\n\n\ny = x.shape\n", row=4)
    assert _silenced("# hybridlint: ignore-file[tensor-shape]\n\n\ny = x.shape\n", row=4)
    assert not _silenced("# hybridlint: ignore-file[HYB2]\n\n\ny = x.shape\n", row=4)


def test_a_comment_stands_where_a_long_line_ends() -> None:
    source = SourceFile(Path("x.py"), 'a = 1\nb = f("""\n  x\n""", \\\n  x)\nc = 2\n')
    assert [noqa_row(source, row) for row in (1, 2, 3, 6)] == [1, 5, 5, 6]
