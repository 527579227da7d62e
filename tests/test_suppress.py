"""Comments that silence findings."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.checking.examples import marks, module_of, section
from hybridlint.project.settings.config import Config
from hybridlint.project.settings.suppress import suppressions
from hybridlint.rule import Family, Rule, all_rules
from hybridlint.text.comment_rows import noqa_row
from hybridlint.text.source import SourceFile

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


IN_STATEMENT = {
    "first line": "y = f(  # noqa: HYB101\n    1,\n    x.shape,\n)\nz = x.shape\n",
    "last line": "y = f(\n    1,\n    x.shape,\n)  # noqa: HYB101\nz = x.shape\n",
    "own line": "y = f(\n    1,\n    # noqa: HYB101\n    x.shape)\nz = x.shape\n",
    "backslash": "y = 1 + \\\n    2 + \\\n    x.shape  # hybridlint: ignore[tensor-shape]\n\nz = x.shape\n",
    "carriage returns": "y = f(\r    1,\r    x.shape,\r)  # noqa: HYB101\rz = x.shape\r",
    "head of a block": "if f(\n    1,\n    x.shape,\n):  # noqa: HYB101\n    z = x.shape\n",
}


@pytest.mark.parametrize("text", IN_STATEMENT.values(), ids=IN_STATEMENT.keys())
def test_a_comment_in_a_statement_is_for_all_of_its_lines(text: str) -> None:
    assert _silenced(text, row=3)
    assert not _silenced(text, row=5)


def test_a_string_is_no_comment() -> None:
    assert not _silenced("y = x.shape, '# noqa'\n")


def test_a_whole_file() -> None:
    assert _silenced("# hybridlint: ignore-file\n\n\ny = x.shape\n", row=4)
    assert _silenced("# hybridlint: ignore-file[tensor-shape]\n\n\ny = x.shape\n", row=4)
    assert not _silenced("# hybridlint: ignore-file[HYB2]\n\n\ny = x.shape\n", row=4)


def test_a_comment_stands_where_a_long_line_ends() -> None:
    source = SourceFile(Path("x.py"), 'a = 1\nb = f("""\n  x\n""", \\\n  x)\nc = 2\n')
    assert [noqa_row(source, row) for row in (1, 2, 3, 6)] == [1, 5, 5, 6]


def silenced(text: str, rows: set[int]) -> bytes:
    """Return a text whose rows end with a comment that silences what is found there."""
    lines = text.split("\n")
    return "\n".join(f"{line}  # noqa" if row in rows else line for row, line in enumerate(lines, 1)).encode()


@pytest.mark.parametrize("rule", [r for r in all_rules() if r.family is not Family.FILE], ids=lambda rule: rule.name)
def test_what_is_silenced_or_not_selected_is_not_fixed(rule: Rule) -> None:
    path, config = Path("example.py"), Config(root=Path())
    text = module_of(marks(section(rule, "Bad"))[0]).text
    found = check(Job(path, text.encode(), config)).diagnostics
    data = silenced(text, {diagnostic.noqa_row for diagnostic in found})
    others = replace(config, ignore=tuple({diagnostic.code for diagnostic in found}))
    for job in (
        Job(path, data, config, fix=True, unsafe=True),
        Job(path, text.encode(), others, fix=True, unsafe=True),
    ):
        result = check(job)
        assert result.fixed is not None
        assert result.fixed.after == result.fixed.before
        assert not result.diagnostics
