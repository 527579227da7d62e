"""Opens files for reading only if they are regular: a pipe or device would block, or never end."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file for reading. Raises OSError, whose `strerror` says so, for anything else."""
    name = os.fspath(path)
    try:
        handle = os.open(name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    except ValueError:
        raise OSError(errno.EINVAL, "its name has a null character", name) from None
    kind = os.fstat(handle).st_mode
    if stat.S_ISREG(kind):
        return open(handle, "rb")
    os.close(handle)
    if stat.S_ISDIR(kind):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
    raise OSError(errno.EINVAL, "it is a pipe or a device, not a file", name)


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a regular file. Raises OSError."""
    with open_regular(path) as file:
        return file.read()
