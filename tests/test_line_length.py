"""How long lines may be: what the project of a file says."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.project.settings.line_length import USUAL, line_length

CASES = {
    "ruff": ("[tool.ruff]\nline-length = 100\n", 100),
    "black": ("[tool.black]\nline-length = 79\n", 79),
    "both": ("[tool.black]\nline-length = 79\n\n[tool.ruff]\nline-length = 100\n", 100),
    "none": ("[project]\nname = 'x'\n", USUAL),
    "no number": ("[tool.ruff]\nline-length = 'long'\n", USUAL),
    "no table": ("tool = 1\n", USUAL),
    "no toml": ("[tool", USUAL),
}


@pytest.mark.parametrize(("text", "length"), CASES.values(), ids=CASES.keys())
def test_is_told_by_the_project(tmp_path: Path, text: str, length: int) -> None:
    (tmp_path / "pyproject.toml").write_text(text, encoding="utf-8")
    (tmp_path / "part").mkdir()
    assert line_length(tmp_path / "part" / "net.py") == length


def test_the_nearest_that_tells_one_counts(tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    (tmp_path / "pyproject.toml").write_text("[tool.black]\nline-length = 100\n", encoding="utf-8")
    (tmp_path / "part" / "pyproject.toml").write_text("[tool.black]\nline-length = 60\n", encoding="utf-8")
    assert line_length(tmp_path / "part" / "net.py") == 60


@pytest.mark.parametrize(
    ("lengths", "length"),
    [
        ((100, 100, 100), 100),
        ((150, 99, 97, 40), 97),
        ((150, 140, 130), 120),
        ((150, 140), USUAL),
        ((70, 60, 50), USUAL),
    ],
    ids=["as long", "one longer", "too long", "two lines", "short"],
)
def test_is_what_three_lines_have_where_nothing_is_set(tmp_path: Path, lengths: tuple[int, ...], length: int) -> None:
    assert line_length(tmp_path / "net.py", ["x" * one for one in lengths]) == length


def test_what_is_set_counts_more_than_the_lines(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.black]\nline-length = 60\n", encoding="utf-8")
    assert line_length(tmp_path / "net.py", ["x" * 100] * 9) == 60
