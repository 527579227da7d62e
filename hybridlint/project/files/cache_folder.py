"""A project's cache folder: its path, the files in it, and the stamp of the tool that wrote them."""

from __future__ import annotations

import errno
import hashlib
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import hybridlint
from hybridlint import __version__
from hybridlint.runtime.facts.records import record
from hybridlint.system.temporary import beside
from hybridlint.text.regular import read_regular, text_of

FOLDER = ".hybridlint_cache"
#: The largest file of a cache, in bytes, and more than its first line has.
MOST_BYTES, _HEAD = 256 << 20, 200
_MADE_BY = "# Made by hybridlint."


def folder_of(root: Path, given: Path | None) -> Path:
    """Return the cache folder of a project: its own, or a subfolder of the folder given for all caches."""
    if given is None:
        return root / FOLDER
    return given / f"{root.name}-{hashlib.blake2b(os.fsencode(root), digest_size=6).hexdigest()}"


def is_cache(folder: Path) -> bool:
    """Whether hybridlint has made a folder for a cache."""
    try:
        return text_of(folder / ".gitignore").startswith(_MADE_BY)
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


def read_from(folder: Path, name: str) -> Mapping[str, Any]:
    """Return the data that `write_into` wrote; none if it is missing, damaged or of another version."""
    try:
        if folder.is_symlink():
            return {}
        head, _, body = read_regular(folder / name, most=MOST_BYTES + _HEAD, follow=False).partition(b"\n")
        if head.decode("ascii") != _heading(body):
            return {}
        document = json.loads(body)
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def write_into(folder: Path, name: str, document: Mapping[str, Any]) -> None:
    """Write a file of the cache folder atomically, without following symbolic links of the project. Raises OSError."""
    body = json.dumps(document, separators=(",", ":")).encode()
    if len(body) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"the cache is larger than {MOST_BYTES} bytes", str(folder))
    if folder.is_symlink():
        raise OSError(errno.ELOOP, "the folder of the cache is a link", str(folder))
    folder.mkdir(parents=True, exist_ok=True)
    with _opened(folder) as place:
        with suppress(FileExistsError):
            _write(place, ".gitignore", f"{_MADE_BY}\n*\n".encode())
        written = beside(folder / name).name
        try:
            _write(place, written, _heading(body).encode() + b"\n" + body)
            os.replace(place.path(written), place.path(name), src_dir_fd=place.handle, dst_dir_fd=place.handle)
        except BaseException:
            with suppress(OSError):
                os.unlink(place.path(written), dir_fd=place.handle)
            raise


def _heading(body: bytes) -> str:
    """Return the first line of a file of the cache: who has written it, and a digest of the rest."""
    return f"{stamp()} {hashlib.blake2b(body, digest_size=16).hexdigest()}"


@record(frozen=True, slots=True)
class _Place:
    """A folder, open as `handle` if the system allows that, so that it stays the same folder."""

    folder: Path
    handle: int | None

    def path(self, name: str) -> str:
        return name if self.handle is not None else os.path.join(self.folder, name)


@contextmanager
def _opened(folder: Path) -> Iterator[_Place]:
    if os.open not in os.supports_dir_fd or os.rename not in os.supports_dir_fd:
        yield _Place(folder, None)
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield _Place(folder, handle)
    finally:
        os.close(handle)


def _write(place: _Place, name: str, data: bytes) -> None:
    """Write a new file. Raises FileExistsError if a file or link of this name exists."""
    handle = os.open(place.path(name), os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=place.handle)
    with open(handle, "wb") as stream:
        stream.write(data)
