"""A proof imports a file under the name, and from the folders, with which its own imports work."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from hybridlint.proving.module_name import module_import

#: Texts of a project's files, the file that is imported, its name, and the folders for `sys.path`.
CASES: dict[str, tuple[dict[str, str], str, str, tuple[str, ...]]] = {
    "a script": ({"net.py": "import ops", "ops.py": ""}, "net.py", "net", ("",)),
    "a package": ({"p/__init__.py": "", "p/net.py": "from p import x", "p/x.py": ""}, "p/net.py", "p.net", ("",)),
    "a package's own file": ({"p/__init__.py": ""}, "p/__init__.py", "p", ("",)),
    "by its full name": ({"a/b/net.py": "from a.b.x import f", "a/b/x.py": "f = 1"}, "a/b/net.py", "a.b.net", ("",)),
    "its package's name": ({"d/n/d.py": "from d.n.x import f", "d/n/x.py": "f = 1"}, "d/n/d.py", "d.n.d", ("",)),
    "relatively": ({"a/net.py": "from .x import f", "a/x.py": "f = 1"}, "a/net.py", "a.net", ("",)),
    "by two dots": ({"a/b/net.py": "from ..x import f", "a/x.py": "f = 1"}, "a/b/net.py", "a.b.net", ("",)),
    "from another folder": ({"a/net.py": "from b.x import f", "b/x.py": "f = 1"}, "a/net.py", "a.net", ("",)),
    "from beside and above": (
        {"a/net.py": "import y\nfrom b.x import f", "a/y.py": "", "b/x.py": "f = 1"},
        "a/net.py",
        "net",
        ("a", ""),
    ),
    "by what it imports": (
        {"a/net.py": "import y", "a/y.py": "from b.x import f", "b/x.py": "f = 1"},
        "a/net.py",
        "net",
        ("a", ""),
    ),
    "named like Python's module": ({"a/random.py": "import random\nrandom.random()"}, "a/random.py", "a.random", ("",)),
    "from sources": ({"t/net.py": "from p.x import f", "src/p/x.py": "f = 1"}, "t/net.py", "net", ("t", "src")),
}


@pytest.mark.parametrize("case", CASES)
def test_a_module_is_imported_as_its_imports_need_it(tmp_path: Path, case: str) -> None:
    texts, path, name, roots = CASES[case]
    for file, text in texts.items():
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(text)
    found = module_import(tmp_path / path)
    assert (found.name, found.roots) == (name, tuple(str(tmp_path / root) for root in roots))
    code = f"import sys, importlib; sys.path[:0] = {list(found.roots)!r}; importlib.import_module({found.name!r})"
    subprocess.run([sys.executable, "-P" if sys.version_info >= (3, 11) else "-I", "-c", code], check=True)


def test_an_installed_package_does_not_hide_a_folder(tmp_path: Path) -> None:
    (tmp_path / "pytest").mkdir()
    (tmp_path / "pytest" / "net.py").write_text("from pytest.ops import f")
    (tmp_path / "pytest" / "ops.py").write_text("f = 1")
    found = module_import(tmp_path / "pytest" / "net.py")
    assert found.name == "pytest.net"
    assert dict(found.namespaces) == {"pytest": str(tmp_path / "pytest")}


def test_another_file_has_the_name_that_the_module_imports(tmp_path: Path) -> None:
    for file, text in {"a/net.py": "from b.x import f", "b/x.py": "f = 1"}.items():
        (tmp_path / file).parent.mkdir()
        (tmp_path / file).write_text(text)
    assert module_import(tmp_path / "a" / "net.py").name_of(tmp_path / "b" / "x.py") == "b.x"
