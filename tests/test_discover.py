"""From paths to files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from hybridlint.project.files.discover import Excludes, discover, files_below, matches


def _tree(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()


def _found(folder: Path, *paths: str, patterns: tuple[str, ...] = ()) -> list[str]:
    files = discover([folder / path for path in paths], lambda _: Excludes(folder, patterns))
    return [file.relative_to(folder).as_posix() for file in files]


def test_folders_are_walked_in_order_and_files_taken_once(tmp_path: Path) -> None:
    _tree(tmp_path, "b.py", "a/z.py", "a/m.txt", "c/d/e.py")
    assert _found(tmp_path, "c", ".", "b.py") == ["c/d/e.py", "a/z.py", "b.py"]


def test_folders_that_hold_no_sources_are_not_entered(tmp_path: Path) -> None:
    _tree(tmp_path, "a.py", ".git/a.py", ".venv/a.py", "build/a.py", "x/__pycache__/a.py", "node_modules/a.py")
    assert _found(tmp_path, ".") == ["a.py"]


def test_what_is_named_is_taken_whatever_is_excluded(tmp_path: Path) -> None:
    _tree(tmp_path, "build/a.py", "script")
    assert _found(tmp_path, "build/a.py", "script", patterns=("*.py",)) == ["build/a.py", "script"]


@pytest.mark.parametrize("pattern", ["legacy", "src/legacy", "./src/legacy/", "src/*/old.py", "**/old.py", "old.*"])
def test_patterns(tmp_path: Path, pattern: str) -> None:
    _tree(tmp_path, "src/legacy/old.py", "src/new/x.py")
    assert _found(tmp_path, ".", patterns=(pattern,)) == ["src/new/x.py"]


def test_a_pattern_stays_within_a_name(tmp_path: Path) -> None:
    assert not matches(tmp_path / "a" / "b" / "c.py", "a/*.py", tmp_path)
    assert matches(tmp_path / "a" / "b" / "c.py", "a/**/*.py", tmp_path)
    assert matches(tmp_path / "a" / "c.py", "a/**/*.py", tmp_path)


def test_a_path_that_does_not_exist_is_left_to_the_reader(tmp_path: Path) -> None:
    _tree(tmp_path, "a.py")
    assert _found(tmp_path, "a.py", "nowhere") == ["a.py", "nowhere"]


def test_links_that_lead_nowhere_or_in_circles_are_left_out(tmp_path: Path) -> None:
    _tree(tmp_path, "a.py", "inner/b.py")
    for link, target in {"self.py": "self.py", "gone.py": "nowhere.py", "inner/up": "..", "again.py": "a.py"}.items():
        (tmp_path / link).symlink_to(target)
    assert _found(tmp_path, ".") == ["a.py", "again.py", "inner/b.py"]


def test_links_that_lead_out_of_the_folder_are_left_out_unless_they_are_named(tmp_path: Path) -> None:
    _tree(tmp_path, "project/a.py", "elsewhere/b.py")
    (tmp_path / "project" / "out.py").symlink_to(tmp_path / "elsewhere" / "b.py")
    (tmp_path / "link").symlink_to(tmp_path / "project")
    assert _found(tmp_path, "project") == ["project/a.py"]
    assert _found(tmp_path, "link") == ["link/a.py"]
    assert _found(tmp_path, "project/out.py") == ["project/out.py"]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read every folder")
def test_a_folder_that_cannot_be_read_stands_for_itself(tmp_path: Path) -> None:
    _tree(tmp_path, "a.py", "locked/b.py")
    (tmp_path / "locked").chmod(0)
    try:
        assert _found(tmp_path, ".") == ["a.py", "locked"]
    finally:
        (tmp_path / "locked").chmod(0o755)


IGNORED = {
    "by a name": ({".gitignore": "*_gen.py\n"}, ["a_gen.py", "x/b_gen.py"]),
    "a folder": ({".gitignore": "/out/\n"}, ["out/a.py"]),
    "from the root only": ({".gitignore": "/top.py\n"}, ["top.py"]),
    "but not what is taken back": ({".gitignore": "*.py\n!keep.py\n!x/\n"}, ["a.py"]),
    "the inner file decides": ({".gitignore": "!x/*.py\n", "x/.gitignore": "in.py\n"}, ["x/in.py"]),
}


@pytest.mark.parametrize(("files", "left_out"), IGNORED.values(), ids=IGNORED.keys())
def test_what_git_ignores_is_left_out(tmp_path: Path, files: dict[str, str], left_out: list[str]) -> None:
    (tmp_path / ".git").mkdir()
    _tree(tmp_path, "keep.py", "x/keep.py", *left_out)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    assert _found(tmp_path, ".") == ["keep.py", "x/keep.py"]
    assert _found(tmp_path, "x") == ["x/keep.py"]
    assert _found(tmp_path, *left_out) == left_out


def test_outside_of_a_repository_nothing_is_ignored(tmp_path: Path) -> None:
    _tree(tmp_path, "a.py")
    (tmp_path / ".gitignore").write_text("a.py\n")
    assert _found(tmp_path, ".") == ["a.py"]


@pytest.mark.parametrize("pattern", ["legacy", "src/legacy", "*.py", "src/legacy/old.py"])
def test_what_is_named_can_be_left_out_too(tmp_path: Path, pattern: str) -> None:
    _tree(tmp_path, "src/legacy/old.py", "build/b.py", "x.txt")
    paths = [tmp_path / name for name in ("src/legacy/old.py", "build/b.py", "x.txt")]
    found = discover(paths, lambda _: Excludes(tmp_path, (pattern,)), force_exclude=True)
    assert [path.name for path in found] == ["x.txt"]


def test_no_more_files_are_looked_for_than_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("a/1.py", "a/2.ipynb", "b/3.py", "b/4.py", "c/5.py"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    entered: list[str] = []
    list_folder = os.scandir

    def noted(folder: Path) -> Iterator[os.DirEntry[str]]:
        entered.append(Path(folder).name)
        return list_folder(folder)

    monkeypatch.setattr(os, "scandir", noted)
    assert [path.name for path in files_below(tmp_path, ".py", 3)] == ["1.py", "3.py", "4.py"]
    assert entered == [tmp_path.name, "a", "b"]
