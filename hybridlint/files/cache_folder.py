"""The folder of a project's cache: where it is, files written into it, and the stamp of the tool that wrote them."""

from __future__ import annotations

import errno
import hashlib
import os
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path

import hybridlint
from hybridlint import __version__

FOLDER = ".hybridlint_cache"
_MADE_BY = "# Made by hybridlint."


def folder_of(root: Path, given: Path | None) -> Path:
    """Return the folder of a project's cache: the project's own, or one in the folder that was given for all caches."""
    if given is None:
        return root / FOLDER
    return given / f"{root.name}-{hashlib.blake2b(os.fsencode(root), digest_size=6).hexdigest()}"


def is_cache(folder: Path) -> bool:
    """Whether hybridlint has made a folder for a cache."""
    try:
        return (folder / ".gitignore").read_text(encoding="utf-8").startswith(_MADE_BY)
    except (OSError, UnicodeDecodeError):
        return False


@cache
def stamp() -> str:
    """Return a string that identifies the tool: its version, its files and the running Python."""
    total = hashlib.blake2b(f"{__version__} {sys.version_info[:2]}".encode(), digest_size=20)
    for file in sorted(_sources(os.path.dirname(str(hybridlint.__file__))), key=lambda file: file.path):
        state = file.stat()
        total.update(f"{file.path} {state.st_mtime_ns} {state.st_size}".encode())
    return total.hexdigest()


def _sources(folder: str) -> Iterator[os.DirEntry[str]]:
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".py"):
                yield entry
            elif entry.name != "__pycache__" and entry.is_dir():
                yield from _sources(entry.path)


def write_into(folder: Path, name: str, text: str) -> None:
    """Write a file of the cache folder atomically, without following symbolic links of the project. Raises OSError."""
    import tempfile

    if folder.is_symlink():
        raise OSError(errno.ELOOP, "the folder of the cache is a link", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), open(folder / ".gitignore", "x", encoding="utf-8") as ignore:
        ignore.write(f"{_MADE_BY}\n*\n")
    handle, written = tempfile.mkstemp(prefix=name, dir=folder)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(written, folder / name)
