"""Which files belong to old projects: the user's own files, and installed packages that import mxnet."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import hybridlint

_INSTALLED = re.compile(r"[\\/](?:site|dist)-packages[\\/]")
_IMPORTS_MXNET = re.compile(rb"^\s*(?:import|from)\s+mxnet\b", re.MULTILINE)
_STANDARD = tuple(
    os.path.join(os.path.realpath(path), "") for key in ("stdlib", "platstdlib") if (path := sysconfig.get_path(key))
)
_OURS = tuple(
    os.path.join(os.path.realpath(Path(hybridlint.__file__).parent / part), "")
    for part in ("", "runtime", "rules", "fixers")
)


def belongs_to_project(path: str) -> bool:
    """Whether a source file belongs to an old project. Other installed packages need no removed names."""
    installed = list(_INSTALLED.finditer(path))
    folder = path[: installed[-1].end()] if installed else _folder_of_imports(path)
    first = path[len(folder) :].replace("\\", "/").partition("/")[0]
    if installed or first in _put_there_by_pip(folder):
        return _imports_mxnet(folder + first)
    real = os.path.realpath(path)
    return not real.startswith((*_STANDARD, *_OURS))


def _folder_of_imports(path: str) -> str:
    """Return the innermost folder of `sys.path` above a file, with a trailing separator."""
    folders = (os.path.join(os.path.abspath(folder), "") for folder in sys.path)
    return max((folder for folder in folders if path.startswith(folder)), key=len, default="")


@cache
def _put_there_by_pip(folder: str) -> frozenset[str]:
    """Return the packages and modules installed in a folder by ``pip install --target``, from pip's records."""
    records = Path(folder).glob("*.dist-info/RECORD") if folder else ()
    lines = (line for record in records for line in record.read_text("utf-8").splitlines())
    return frozenset(re.split(r"[/,]", line, maxsplit=1)[0] for line in lines)


@cache
def _imports_mxnet(package: str) -> bool:
    """Whether an installed package or module imports mxnet anywhere outside its tests."""
    return any(b"mxnet" in source and _IMPORTS_MXNET.search(source) for source in _sources(package))


def _sources(package: str) -> Iterator[bytes]:
    if not os.path.isdir(package):
        yield Path(package).read_bytes()
        return
    for folder, below, names in os.walk(package):
        below[:] = [name for name in below if name not in {"test", "tests", "__pycache__"}]
        for name in names:
            if name.endswith(".py"):
                yield Path(folder, name).read_bytes()
