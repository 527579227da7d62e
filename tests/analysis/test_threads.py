"""Threads that share what is known of a project: each finds what it finds alone."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import new_project
from hybridlint.analysis.project.program import Project
from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HELPERS = """
def scaled(x):
    return x * 2
"""
NET = """
from mxnet.gluon import HybridBlock
from .part0 import scaled

class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return x * len(scaled(x))
"""
FILES = 16
WORKERS = 8
#: Modules that hand a name on: while one thread reads their files, the others ask for the name.
LINKS = 12


@pytest.fixture
def package(tmp_path: Path) -> list[Path]:
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "__init__.py").write_text("")
    (folder / f"part{LINKS}.py").write_text(HELPERS)
    for number in range(LINKS):
        (folder / f"part{number}.py").write_text(f"from .part{number + 1} import scaled\n")
    paths = [folder / f"net{number}.py" for number in range(FILES)]
    for path in paths:
        path.write_text(NET)
    return paths


@pytest.fixture(autouse=True)
def _slow_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let other threads run while one reads a file."""
    read = SourceFile.read

    def slow(path: Path) -> SourceFile:
        time.sleep(0.002)
        return read(path)

    monkeypatch.setattr(SourceFile, "read", slow)


def found(path: Path, project: Project) -> list[tuple[str, int]]:
    return [(f.rule.code, getattr(f.node, "lineno", 0)) for f in analyze_file(SourceFile.read(path), project=project)]


def test_threads_on_one_project_find_what_one_thread_finds(package: list[Path]) -> None:
    alone = [found(path, new_project()) for path in package]
    assert all(alone)
    project = new_project()
    with ThreadPoolExecutor(WORKERS) as pool:
        assert list(pool.map(lambda path: found(path, project), package)) == alone
