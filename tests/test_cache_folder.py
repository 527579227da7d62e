"""What is read from the folder of a cache is what was written there, and nothing is written outside of it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hybridlint.project.files.cache_folder import read_from, write_into

DOCUMENT = {"files": {"a": [1, 2]}}


def test_what_was_written_is_read(tmp_path: Path) -> None:
    write_into(tmp_path / "cache", "x.json", DOCUMENT)
    assert read_from(tmp_path / "cache", "x.json") == DOCUMENT
    assert sorted(os.listdir(tmp_path / "cache")) == [".gitignore", "x.json"]


@pytest.mark.parametrize("change", ["a byte", "the end", "everything", "nesting", "another document"])
def test_what_is_damaged_is_not_read(tmp_path: Path, change: str) -> None:
    write_into(tmp_path, "x.json", DOCUMENT)
    path = tmp_path / "x.json"
    content = path.read_bytes()
    head = content.split(b"\n")[0]
    path.write_bytes(
        {
            "a byte": content.replace(b"[1,2]", b"[1,3]"),
            "the end": content[:-1],
            "everything": b"",
            "nesting": head + b"\n" + b"[" * 100_000,
            "another document": head + b"\n" + json.dumps({"files": {}}).encode(),
        }[change]
    )
    assert read_from(tmp_path, "x.json") == {}


def test_links_lead_nowhere(tmp_path: Path) -> None:
    outside, project = tmp_path / "outside", tmp_path / "project"
    outside.mkdir()
    project.mkdir()
    (project / "cache").symlink_to(outside)
    with pytest.raises(OSError, match="is a link"):
        write_into(project / "cache", "x.json", DOCUMENT)
    assert os.listdir(outside) == []
    cache = project / "own"
    cache.mkdir()
    (outside / "kept").write_text("kept", encoding="utf-8")
    for name in ("x.json", ".gitignore"):
        (cache / name).symlink_to(outside / "kept")
    write_into(cache, "x.json", DOCUMENT)
    assert (outside / "kept").read_text(encoding="utf-8") == "kept"
    assert os.listdir(outside) == ["kept"]
    assert read_from(cache, "x.json") == DOCUMENT


def test_a_link_in_the_place_of_a_file_is_not_read(tmp_path: Path) -> None:
    write_into(tmp_path / "one", "x.json", DOCUMENT)
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "x.json").symlink_to(tmp_path / "one" / "x.json")
    assert read_from(tmp_path / "two", "x.json") == {}
    (tmp_path / "three").symlink_to(tmp_path / "one")
    assert read_from(tmp_path / "three", "x.json") == {}
