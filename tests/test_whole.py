"""Reports are written as whole files, and through no link."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.core.errors import UsageError
from hybridlint.project.files.output_files import change_whole, write_whole


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


def test_what_is_added_to_keeps_its_line_ends_and_links(tmp_path: Path) -> None:
    real, link = tmp_path / "real.toml", tmp_path / "pyproject.toml"
    real.write_bytes(b"a = 1\r\n")
    real.chmod(0o640)
    link.symlink_to(real)
    change_whole(link, "a = 1\n", "a = 1\nb = 2\n")
    assert real.read_bytes() == b"a = 1\r\nb = 2\r\n"
    assert link.is_symlink()
    assert real.stat().st_mode & 0o777 == 0o640


def test_what_is_added_to_is_what_was_read(tmp_path: Path) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_text("a = 2\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has changed since it was read"):
        change_whole(path, "a = 1\n", "a = 1\nb = 2\n")
    path.unlink()
    with pytest.raises(UsageError, match="cannot write the file"):
        change_whole(path, "a = 1\n", "a = 1\nb = 2\n")


def test_a_file_that_is_there_keeps_its_permissions_and_other_names(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 255)
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    write_whole(path, "new")
    assert (path.read_text(encoding="utf-8"), path.stat().st_mode & 0o777) == ("new", 0o640)
    (tmp_path / "other").hardlink_to(path)
    with pytest.raises(UsageError, match="2 names"):
        write_whole(path, "newer")
    assert path.read_text(encoding="utf-8") == "new"
