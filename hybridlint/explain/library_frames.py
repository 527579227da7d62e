"""Whose code a frame of a traceback runs: the user's, MXNet's, Python's or another library's."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import hybridlint
from hybridlint.launch.mxnet_names import table

#: This program, and the folder of its runtime in every installation.
_OURS = f"{Path(hybridlint.__file__).parent.as_posix()}/"
_RUNTIME = "/hybridlint/runtime/"
_LIBRARY_FOLDERS = frozenset({"site-packages", "dist-packages"})
#: Python's own modules, as Linux, macOS and Windows install them.
_PYTHON = re.compile(r"/lib(?:64)?/python\d[.\d]*/|/Python\d+/lib/", re.IGNORECASE)
#: Code that is in no file, but written by the user: cells of notebooks, and what is typed at a prompt.
_TYPED = re.compile(r"<(?:stdin|console|ipython-input-.*|cell \d+)>")


@cache
def mxnet_module(path: str) -> str | None:
    """Return the dotted name of MXNet's module that a file is, None for every other file.

    The folder of a project may be called mxnet too, so that the whole path below it has to be one of MXNet's. Modules
    of the bundled runtime have the names that they are served under.
    """
    plain = path.replace("\\", "/")
    if not plain.endswith(".py"):
        return None
    if _RUNTIME in plain:
        return f"mxnet.{_dotted(plain.rpartition(_RUNTIME)[2])}".rstrip(".")
    _, folder, below = f"/{plain}".rpartition("/mxnet/")
    name = _dotted(below)
    package, private, _ = name.rpartition("._")
    is_known = (package if private else name) in table()
    return f"mxnet.{name}".rstrip(".") if folder and is_known else None


def is_library(path: str) -> bool:
    """Whether a file is MXNet's, Python's, an installed library's, or code that a library has generated."""
    if path.startswith("<"):
        return _TYPED.fullmatch(path) is None
    plain = path.replace("\\", "/")
    if not _LIBRARY_FOLDERS.isdisjoint(plain.split("/")) or _PYTHON.search(plain) or plain.startswith(_OURS):
        return True
    return mxnet_module(path) is not None


def _dotted(path: str) -> str:
    """Return the name of a module below a package, by its path below the package; "" for the package itself."""
    name = path.removesuffix(".py").replace("/", ".")
    return "" if name == "__init__" else name.removesuffix(".__init__")
