"""Files are replaced at once, and only where they are what was read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from hybridlint.project.files.original import ChangedError, read, replace


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
    with pytest.raises(
        ChangedError, match=f"has {'been deleted' if change is Path.unlink else 'changed'} since it was"
    ):
        replace(path, identity, before, b"new")
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == there


def test_a_file_with_several_names_is_left_alone(tmp_path: Path) -> None:
    path, other = tmp_path / "net.py", tmp_path / "other.py"
    path.write_bytes(b"old")
    os.link(path, other)
    before, identity = read(path)
    with pytest.raises(ChangedError, match=r"has 2 names \(hard links\)"):
        replace(path, identity, before, b"new")
    assert (path.read_bytes(), other.read_bytes(), path.stat().st_ino) == (b"old", b"old", other.stat().st_ino)
    assert sorted(os.listdir(tmp_path)) == ["net.py", "other.py"]


def test_a_name_as_long_as_a_name_can_be(tmp_path: Path) -> None:
    path = tmp_path / f"{'n' * 252}.py"
    path.write_bytes(b"old")
    before, identity = read(path)
    replace(path, identity, before, b"new")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.skipif(not hasattr(os, "setxattr"), reason="this system has no extended attributes")
def test_attributes_stay_or_the_file_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.origin", b"here")
    except OSError:
        pytest.skip("this file system has no extended attributes")
    before, identity = read(path)
    replace(path, identity, before, b"new")
    assert (path.read_bytes(), os.getxattr(path, "user.origin")) == (b"new", b"here")
    before, identity = read(path)

    def refuse(*_arguments: object) -> None:
        raise OSError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "setxattr", refuse)
    with pytest.raises(ChangedError, match=r"cannot have the attribute user\.origin"):
        replace(path, identity, before, b"newer")
    assert os.listdir(tmp_path) == ["net.py"]


@pytest.mark.skipif(not hasattr(os, "chown") or os.getuid() != 0, reason="only the administrator gives files away")
def test_the_owner_stays_or_the_file_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    path.write_bytes(b"old")
    os.chown(path, 12345, 54321)
    before, identity = read(path)
    replace(path, identity, before, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 54321)
    before, identity = read(path)

    def refuse(*_arguments: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    monkeypatch.setattr(os, "chown", refuse)
    with pytest.raises(ChangedError, match="cannot have the owner or group"):
        replace(path, identity, before, b"newer")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"new", ["net.py"])


def test_a_disk_that_is_full_changes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    path.write_bytes(b"old")
    before, identity = read(path)

    def refuse(_handle: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with pytest.raises(OSError, match="No space left"):
        replace(path, identity, before, b"new")
    assert (path.read_bytes(), os.listdir(tmp_path)) == (b"old", ["net.py"])


def test_a_read_only_file_is_left_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "net.py"
    path.write_bytes(b"old")
    before, identity = read(path)
    monkeypatch.setattr(os, "access", lambda *_: False)
    with pytest.raises(PermissionError, match="read-only"):
        replace(path, identity, before, b"new")
    assert path.read_bytes() == b"old"
