"""Files are replaced at once, and only where they are what was read."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hybridlint.files.original import ChangedError, read, replace


def test_permissions_and_links_stay(tmp_path: Path) -> None:
    real, link = tmp_path / "real.py", tmp_path / "link.py"
    real.write_bytes(b"old")
    real.chmod(0o751)
    link.symlink_to(real)
    before, identity = read(link)
    replace(link, identity, before, b"new")
    assert real.read_bytes() == b"new"
    assert link.is_symlink()
    assert stat.S_IMODE(real.stat().st_mode) == 0o751
    assert sorted(os.listdir(tmp_path)) == ["link.py", "real.py"]


def append(path: Path) -> None:
    with path.open("ab") as stream:
        stream.write(b"an editor's line")


def link_elsewhere(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.parent / "other.py")


def replace_by_a_copy(path: Path) -> None:
    copy = path.with_name("copy.py")
    copy.write_bytes(path.read_bytes())
    os.replace(copy, path)


@pytest.mark.parametrize("change", [append, link_elsewhere, replace_by_a_copy, Path.unlink])
def test_a_file_that_changed_meanwhile_is_left_alone(tmp_path: Path, change: Callable[[Path], None]) -> None:
    path, other = tmp_path / "net.py", tmp_path / "other.py"
    path.write_bytes(b"old")
    other.write_bytes(b"old")
    before, identity = read(path)
    change(path)
    there = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    with pytest.raises(ChangedError, match="has changed since it was read"):
        replace(path, identity, before, b"new")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == there


def test_a_read_only_file_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    path.write_bytes(b"old")
    before, identity = read(path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="read-only"):
        replace(path, identity, before, b"new")
    assert path.read_bytes() == b"old"
