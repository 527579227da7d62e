"""Record of the files and folders that a proof has read: its outcome is valid while these are unchanged."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import field
from functools import cache
from pathlib import Path

from hybridlint.runtime.facts.records import record
from hybridlint.text.regular import read_regular

#: Larger files are compared by size and modification time.
_MOST_BYTES = 100_000_000
_LIBRARIES = ("site-packages", "dist-packages")
#: Matches paths of installed libraries, or of the standard library of any interpreter.
_INSTALLED = re.compile(r"[/\\](?:site-packages|dist-packages|lib(?:64)?[/\\]python\d[\d.]*)[/\\]")
#: Covered by the tool's version stamp: its own files, and those of the interpreter.
_OWN = str(Path(__file__).parents[1])
_STANDARD = os.path.dirname(os.__file__)
#: The folder of the tool's checkout, if it is not installed among other libraries.
_CHECKOUT = os.path.dirname(_OWN) if os.path.basename(os.path.dirname(_OWN)) not in _LIBRARIES else _OWN


@record(slots=True)
class ReadSet:
    """The files and folders read since the time `began`; `libraries` are files of installed packages."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    libraries: set[str] = field(default_factory=set)
    began: float = field(default_factory=time.time)

    def add(self, files: Iterable[str], folders: Iterable[str]) -> None:
        """Add paths that the child process reports, without those of hybridlint and of the standard library."""
        for path in files:
            if _is_ours(path) or path.endswith(".pyc"):
                continue
            kind = self.libraries if _INSTALLED.search(path) else self.files
            kind.add(path)
        self.folders.update(path for path in folders if not _is_ours(path))

    def changed(self) -> bool:
        """Whether one of the files was written since `began`, so that it is unknown which version was read."""
        for path in self.files:
            with suppress(OSError):
                if os.stat(path).st_mtime >= self.began:
                    return True
        return False


@cache
def content(path: str) -> str:
    """Return a digest of a file's content, or of size and time if very large; "" without a file."""
    try:
        size = os.stat(path).st_size
        if size > _MOST_BYTES:
            return _state(path)
        return hashlib.blake2b(read_regular(path), digest_size=12).hexdigest()
    except OSError:
        return ""


@cache
def listing(path: str) -> str:
    """Return a digest of the names in a folder, except hidden ones and caches; "" if there is no such folder."""
    try:
        names = sorted(name for name in os.listdir(path) if not name.startswith((".", "__pycache__")))
    except OSError:
        return ""
    return hashlib.blake2b("\0".join(names).encode(errors="replace"), digest_size=12).hexdigest()


@cache
def states(paths: tuple[str, ...]) -> str:
    """Return a digest of the sizes and modification times of files."""
    total = hashlib.blake2b(digest_size=12)
    for path in paths:
        total.update(f"{path}\0{_state(path)}\0".encode(errors="replace"))
    return total.hexdigest()


def _state(path: str) -> str:
    try:
        found = os.stat(path)
    except OSError:
        return ""
    return f"{found.st_mtime_ns} {found.st_size}"


def _is_ours(path: str) -> bool:
    """Whether a path is covered by the tool's version stamp: in its own folder or in the standard library."""
    if path.startswith(_OWN + os.sep) or path in (_OWN, _CHECKOUT, _STANDARD):
        return True
    inner = path[len(_STANDARD) :].split(os.sep) if path.startswith(_STANDARD + os.sep) else list(_LIBRARIES)
    return not any(part in _LIBRARIES for part in inner)
