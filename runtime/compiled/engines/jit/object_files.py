"""Object code on disk, so that a network is compiled once: a folder of files, checksummed and bounded."""

from __future__ import annotations

import hashlib
import itertools
import os
import threading
from pathlib import Path

#: The environment variable that names the folder; empty keeps nothing.
FOLDER = "HYBRIDLINT_ENGINE_CACHE"
#: A full folder, of some 130 MB, loses those files that were not used for longest, down to half of this. The tests of
#: one version of the engine fill less than half of it, and the next version adds a quarter.
MOST_FILES = 16_384
#: Files are counted at the first write of a process and then each time after so many.
_EACH = 256

_writes = itertools.count()


def folder() -> Path | None:
    """Return the folder of object code on disk; None where HYBRIDLINT_ENGINE_CACHE is empty: nothing is kept."""
    named = os.environ.get(FOLDER)
    if named == "":
        return None
    if named:
        return Path(named)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "hybridlint" / "native"


def read(path: Path) -> bytes | None:
    """Return object code with the digest before it; None if there is none, or it is damaged."""
    try:
        held = path.read_bytes()
    except OSError:
        return None
    digest, code = held[:32], held[32:]
    if hashlib.sha256(code).digest() != digest:
        return None
    _used(path)
    return code


def write(path: Path, code: bytes) -> None:
    """Keep object code. A folder that cannot be written to costs time, nothing else."""
    partial = path.with_suffix(f".{os.getpid()}-{threading.get_ident()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial.write_bytes(hashlib.sha256(code).digest() + code)
        partial.replace(path)
    except OSError:
        partial.unlink(missing_ok=True)
        return
    if next(_writes) % _EACH == 0:
        _prune(path.parent)


def _used(path: Path) -> None:
    try:
        os.utime(path)
    except OSError:
        return


def _prune(place: Path) -> None:
    """Remove the files that were not used for longest, if there are too many. Other processes may do so too."""
    try:
        # Names alone cost a tenth of what the times of files do.
        if len(os.listdir(place)) <= MOST_FILES:
            return
        with os.scandir(place) as entries:
            files = sorted((entry.stat(follow_symlinks=False).st_mtime, entry.path) for entry in entries)
    except OSError:
        return
    for _, path in files[: len(files) - MOST_FILES // 2]:
        Path(path).unlink(missing_ok=True)
