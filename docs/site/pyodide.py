"""Pyodide from package registries, for sites whose playground loads nothing from another server.

npm has Pyodide's core. Pyodide's build of libcst is in its own distribution alone: here the modules of libcst come from
PyPI, and their Python parser stands in for the native one, which knows the syntax of Python up to 3.8.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

#: The release of Pyodide, and the release of libcst that its distribution has.
PYODIDE, LIBCST = "0.29.5", "1.6.0"
_PYTHON = ("--platform", "manylinux2014_x86_64", "--platform", "manylinux_2_17_x86_64", "--python-version", "3.13")


def fetch_pyodide(folder: Path) -> Path:
    """Fetch Pyodide's core and libcst into a folder, and return the folder of the distribution made of them.

    Raises OSError without npm, and CalledProcessError where a registry cannot be reached.
    """
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", *_PYTHON]
    for command in (["npm", "pack", "--silent", f"pyodide@{PYODIDE}"], [*pip, f"libcst=={LIBCST}"]):
        subprocess.run(command, cwd=folder, capture_output=True, timeout=300, check=True)
    with tarfile.open(next(folder.glob("pyodide-*.tgz"))) as archive:
        archive.extractall(folder, filter="data")
    core = folder / "package"
    _add_libcst(next(folder.glob("libcst-*.whl")), core)
    return core


def _add_libcst(wheel: Path, core: Path) -> None:
    """Put libcst beside Pyodide, without its native parser, and say so in Pyodide's list of packages."""
    name = f"libcst-{LIBCST}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as given, zipfile.ZipFile(core / name, "w", zipfile.ZIP_DEFLATED) as made:
        for entry in given.namelist():
            if entry.endswith(".so") or "/tests/" in entry:
                continue
            text = given.read(entry)
            if entry == "libcst/__init__.py":
                text = b'import os\nos.environ["LIBCST_PARSER_TYPE"] = "pure"\n' + text
            made.writestr(entry, text)
    lock = json.loads((core / "pyodide-lock.json").read_text(encoding="utf-8"))
    digest = hashlib.sha256((core / name).read_bytes()).hexdigest()
    lock["packages"]["libcst"].update(file_name=name, sha256=digest, depends=[])
    (core / "pyodide-lock.json").write_text(json.dumps(lock), encoding="utf-8")
