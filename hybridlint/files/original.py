"""Reading a file and replacing it later without losing changes made in between."""

from __future__ import annotations

import errno
import os
import tempfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path


class ChangedError(Exception):
    """The file changed after it was read."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Identity of a file on disk: its resolved path, its device and its inode."""

    target: str
    device: int
    inode: int


def read(path: Path) -> tuple[bytes, Identity]:
    """Return the bytes and the identity of a file. Raises OSError."""
    with path.open("rb") as stream:
        status = os.fstat(stream.fileno())
        return stream.read(), Identity(os.path.realpath(path), status.st_dev, status.st_ino)


def replace(path: Path, identity: Identity, before: bytes, after: bytes) -> None:
    """Replace a file's content atomically, keeping its permissions. A symbolic link stays a link.

    `before` and `identity` are the return values of `read`. Raises ChangedError if the file has other content by now,
    or is another file, and OSError if it cannot be written. In both cases nothing is changed.
    """
    target = Path(identity.target)
    if not os.access(target, os.W_OK) and target.exists():
        # The replacement only needs write permission for the folder, so the file's own must be checked here.
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(after)
        _check(path, identity, before)
        os.chmod(name, target.stat().st_mode & 0o7777)
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def _check(path: Path, identity: Identity, before: bytes) -> None:
    try:
        unchanged = read(path) == (before, identity)
    except FileNotFoundError:
        unchanged = False
    if not unchanged:
        raise ChangedError("the file has changed since it was read, and was left alone; run the command again")
