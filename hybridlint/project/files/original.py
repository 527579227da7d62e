"""Reading a file and replacing it later without losing changes made in between, nor what else the file has."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from pathlib import Path

from hybridlint.system.file_identity import FileIdentity
from hybridlint.system.temporary import beside
from hybridlint.text.regular import read_regular

#: Attributes that the system gives a new file by itself, or that no program copies.
_OF_SYSTEM = ("security.selinux", "security.apparmor", "security.capability", "com.apple.provenance")


class ChangedError(Exception):
    """The file changed after it was read, or cannot be replaced without losing something that it has."""


def read(path: Path) -> tuple[bytes, FileIdentity]:
    """Return the bytes and the identity of a file. Raises OSError."""
    data = read_regular(path)
    status = path.stat()
    return data, FileIdentity(os.path.realpath(path), status.st_dev, status.st_ino)


def replace(path: Path, identity: FileIdentity, before: bytes, after: bytes) -> None:
    """Replace a file's content atomically, keeping owner, permissions and attributes. A symbolic link stays a link.

    `before` and `identity` are the return values of `read`. Raises ChangedError if the file has other content by now,
    is another file, is gone, or has other names, which would keep the old content; OSError if it cannot be written.
    In all these cases nothing is changed.
    """
    target = Path(identity.target)
    if not os.access(target, os.W_OK) and target.exists():
        # The replacement only needs write permission for the folder, so the file's own must be checked here.
        raise PermissionError(errno.EACCES, "the file is read-only", str(target))
    _check(path, identity, before)
    status = target.stat()
    name = beside(target)
    try:
        with open(name, "xb") as stream:
            stream.write(after)
            stream.flush()
            os.fsync(stream.fileno())
        keep(name, target, status)
        _check(path, identity, before)
        os.replace(name, target)
    except BaseException:
        with suppress(FileNotFoundError):
            os.unlink(name)
        raise


def keep(new: Path, target: Path, status: os.stat_result) -> None:
    """Give a new file what the one that it replaces has. Raises ChangedError if that is not possible."""
    if status.st_nlink > 1:
        raise ChangedError(
            f"the file has {status.st_nlink} names (hard links), of which only one would change, and was left alone: "
            "make a copy of it first"
        )
    made = new.stat()
    if hasattr(os, "chown") and (made.st_uid, made.st_gid) != (status.st_uid, status.st_gid):
        try:
            os.chown(new, status.st_uid, status.st_gid)
        except OSError:
            raise _unkept("owner or group") from None
    os.chmod(new, stat.S_IMODE(status.st_mode))
    if not hasattr(os, "listxattr"):
        return
    try:
        wanted = {name: os.getxattr(target, name) for name in os.listxattr(target)}
    except OSError:
        return
    for name, value in wanted.items():
        if not _set(new, name, value) and name not in _OF_SYSTEM:
            raise _unkept(f"attribute {name}")


def _set(new: Path, name: str, value: bytes) -> bool:
    try:
        os.setxattr(new, name, value)
    except OSError:
        return False
    return True


def _unkept(what: str) -> ChangedError:
    return ChangedError(f"a new file cannot have the {what} of this one, which was left alone")


def _check(path: Path, identity: FileIdentity, before: bytes) -> None:
    try:
        unchanged = read(path) == (before, identity)
    except FileNotFoundError:
        raise ChangedError("the file has been deleted since it was read, and stays so") from None
    except OSError:
        unchanged = False
    if not unchanged:
        raise ChangedError("the file has changed since it was read, and was left alone; run the command again")
