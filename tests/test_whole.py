"""Reports are written as whole files, and through no link."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.errors import UsageError
from hybridlint.files.whole import write_whole


def test_a_file_is_written_anew(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    write_whole(page, "first")
    write_whole(page, "second")
    assert page.read_text(encoding="utf-8") == "second"
    assert list(tmp_path.iterdir()) == [page]


def test_a_link_is_replaced_and_not_followed(tmp_path: Path) -> None:
    own = tmp_path / "own"
    own.write_text("mine", encoding="utf-8")
    page = tmp_path / "page.html"
    page.symlink_to(own)
    write_whole(page, "report")
    assert own.read_text(encoding="utf-8") == "mine"
    assert page.read_text(encoding="utf-8") == "report"
    assert not page.is_symlink()


def test_a_place_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot write the file: No such file or directory"):
        write_whole(tmp_path / "missing" / "page.html", "report")
