"""What a killed process has left is removed by the next one; what a running one works on is not touched."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hybridlint.project.files.original import read, replace
from hybridlint.system.temporary import beside, clean_folders, prefix

pytestmark = pytest.mark.skipif(os.name != "posix", reason="other systems do not tell whether a process runs")


@pytest.fixture
def gone() -> int:
    """Return the number of a process that has ended."""
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    return ended.pid


def test_files_that_a_killed_process_has_left_are_removed(tmp_path: Path, gone: int) -> None:
    left = tmp_path / f".hybridlint-{gone}-0123456789abcdef.tmp"
    own = tmp_path / f".hybridlint-{os.getpid()}-0123456789abcdef.tmp"
    others = [tmp_path / f".hybridlint-{gone}-notes.txt", tmp_path / "hybridlint.tmp", tmp_path / "net.py"]
    for file in (left, own, *others):
        file.write_bytes(b"")
    target = tmp_path / "net.py"
    data, identity = read(target)
    replace(target, identity, data, b"x = 1\n")
    assert sorted(tmp_path.iterdir()) == sorted([own, *others])


def test_folders_that_a_killed_process_has_left_are_removed(tmp_path: Path, gone: int) -> None:
    left, own = tmp_path / f"hybridlint-{gone}-ab_d3fgh", tmp_path / f"{prefix()}ab_d3fgh"
    for folder in (left, own):
        (folder / "work").mkdir(parents=True)
    clean_folders(tmp_path)
    assert list(tmp_path.iterdir()) == [own]


def test_links_of_the_same_name_are_not_followed(tmp_path: Path, gone: int) -> None:
    kept, folder = tmp_path / "kept", tmp_path / "folder"
    kept.mkdir()
    folder.mkdir()
    (kept / "file").write_bytes(b"")
    (folder / f"hybridlint-{gone}-ab_d3fgh").symlink_to(kept)
    clean_folders(folder)
    assert (kept / "file").exists()


def test_names_are_new_and_short(tmp_path: Path) -> None:
    target = tmp_path / ("n" * 250 + ".py")
    assert beside(target) != beside(target)
    assert len(beside(target).name) < 60
