"""Which files are those of old projects: the user's own, and installed packages that import mxnet."""

from __future__ import annotations

import os
import re
import sysconfig
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
    """Whether a source file is of an old project. Current packages know what Python and numpy have."""
    installed = list(_INSTALLED.finditer(path))
    if installed:
        root = path[: installed[-1].end()]
        first = path[installed[-1].end() :].replace("\\", "/").partition("/")[0]
        return _imports_mxnet(root + first)
    real = os.path.realpath(path)
    return not real.startswith((*_STANDARD, *_OURS))


@cache
def _imports_mxnet(package: str) -> bool:
    """Whether an installed package, or module, imports mxnet anywhere."""
    path = Path(package)
    files = sorted(path.rglob("*.py")) if path.is_dir() else [path]
    return any(_IMPORTS_MXNET.search(file.read_bytes()) for file in files if file.is_file())
