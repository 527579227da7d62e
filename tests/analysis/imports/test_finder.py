"""Imports lead to the files to which Python's own import leads, whatever folders have an ``__init__.py``."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hybridlint.analysis.imports.finder import ImportFinder

#: Files of a project, the file that imports, its import (dotted name and number of dots), and the file meant.
CASES: dict[str, tuple[str, str, str, int, str | None]] = {
    "full name of a folder": ("models/net.py tools/proj.py", "models/net.py", "tools.proj", 0, "tools/proj.py"),
    "nested folders": ("a/b/net.py a/c/ops.py", "a/b/net.py", "a.c.ops", 0, "a/c/ops.py"),
    "relative": ("a/net.py a/ops.py", "a/net.py", "ops", 1, "a/ops.py"),
    "relative, two dots": ("a/b/net.py a/ops.py", "a/b/net.py", "ops", 2, "a/ops.py"),
    "package above a folder": ("a/p/__init__.py a/p/net.py a/q/ops.py", "a/p/net.py", "a.q.ops", 0, "a/q/ops.py"),
    "script beside a package": ("pkg/__init__.py pkg/x.py bin/net.py", "bin/net.py", "pkg.x", 0, "pkg/x.py"),
    "folder of sources": ("src/pkg/x.py tests/net.py", "tests/net.py", "pkg.x", 0, "src/pkg/x.py"),
    "script and its neighbour": ("bin/net.py bin/ops.py", "bin/net.py", "ops", 0, "bin/ops.py"),
    "module named like its package": (
        "deep/nn/deep.py deep/nn/ops.py",
        "deep/nn/deep.py",
        "deep.nn.ops",
        0,
        "deep/nn/ops.py",
    ),
    "nearest of two roots": ("one/m/net.py one/m/x.py two/m/x.py", "one/m/net.py", "m.x", 0, "one/m/x.py"),
    "package before a folder": ("a/net.py a/m/x.py m/__init__.py m/x.py", "a/net.py", "m.x", 0, "m/x.py"),
    "Python's own before a folder": ("net.py logging/x.py", "net.py", "logging.x", 0, None),
    "folder named like Python's module": ("m/net.py m/random.py", "m/net.py", "m.random", 0, "m/random.py"),
    "script in a package": ("p/__init__.py p/net.py! p/ops.py", "p/net.py", "ops", 0, "p/ops.py"),
    "no script in a package": ("p/__init__.py p/net.py p/ops.py", "p/net.py", "ops", 0, None),
    "installed": ("net.py", "net.py", "numpy.linalg", 0, None),
}


def project(folder: Path, files: str) -> None:
    (folder / ".git").mkdir()
    for name in files.split():
        path = folder / name.rstrip("!")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("if __name__ == '__main__':\n    pass\n" if name.endswith("!") else "")


@pytest.mark.parametrize("case", CASES)
def test_where_an_import_leads(tmp_path: Path, case: str) -> None:
    files, importer, dotted, level, expected = CASES[case]
    project(tmp_path, files)
    target = ImportFinder().locate(tmp_path / importer, dotted, level)
    assert target == (None if expected is None else tmp_path / expected)


@pytest.mark.parametrize(
    ("neighbour", "expected"), [("from models.net import Net\n", "utils.py"), ("", "models/utils.py")]
)
def test_a_folder_is_a_package_where_others_import_it(tmp_path: Path, neighbour: str, expected: str) -> None:
    project(tmp_path, "models/net.py models/utils.py utils.py main.py")
    (tmp_path / "main.py").write_text(neighbour)
    assert ImportFinder().locate(tmp_path / "models/net.py", "utils", 0) == tmp_path / expected


def test_a_neighbour_is_not_pythons_own_module_in_a_package(tmp_path: Path) -> None:
    project(tmp_path, "models/net.py models/random.py main.py")
    assert ImportFinder().locate(tmp_path / "models/net.py", "random", 0) == tmp_path / "models/random.py"
    (tmp_path / "models/net.py").write_text("from .random import draw\n")
    assert ImportFinder().locate(tmp_path / "models/net.py", "random", 0) is None


def test_python_agrees(tmp_path: Path) -> None:
    project(tmp_path, "m/random.py m/sub/x.py a/m/x.py logging/x.py p/__init__.py p/y.py")
    names = ("m.random", "m.sub.x", "a.m.x", "logging.x", "p.y", "p", "m")
    code = "import importlib.util as u\ndef of(n):\n    try: return getattr(u.find_spec(n), 'origin', None)\n"
    code += f"    except ModuleNotFoundError: return None\nprint([of(name) for name in {names!r}])"
    told = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = [ImportFinder().locate(tmp_path / "main.py", name, 0) for name in names]
    assert told.stdout.strip() == str([None if path is None else str(path) for path in found])


def test_links_hold_what_was_looked_for(tmp_path: Path) -> None:
    project(tmp_path, "models/net.py tools/proj.py")
    finder = ImportFinder()
    finder.locate(tmp_path / "models/net.py", "tools.proj", 0)
    [links] = finder.news()
    assert links.imports == (str(tmp_path / "tools/proj.py"),)
    assert {str(tmp_path / "tools.py"), str(tmp_path / "tools/__init__.py")} <= set(links.absent)
    assert str(tmp_path / "tools") in links.present


def test_each_folder_is_listed_once(tmp_path: Path) -> None:
    from hybridlint.analysis.imports.folder_listings import FolderListing, list_folder

    project(tmp_path, "models/net.py tools/proj.py")
    listed: list[str] = []

    def counted(folder: str) -> FolderListing:
        listed.append(folder)
        return list_folder(folder)

    finder = ImportFinder(counted)
    for name in ("tools.proj", "tools.proj.f", "numpy", "numpy.linalg", "os.path", "models.net"):
        finder.locate(tmp_path / "models/net.py", name, 0)
    assert len(listed) == len(set(listed))
