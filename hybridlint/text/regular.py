"""Reading of regular files alone: a pipe or a device in a file's place would block, or never end."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

#: The largest file of any kind that is read.
MOST_BYTES = 1 << 30


def read_regular(path: str | os.PathLike[str], *, most: int = MOST_BYTES, follow: bool = True) -> bytes:
    """Return the bytes of a regular file of at most `most` bytes. Raises OSError, whose `strerror` says why not.

    Unless `follow`, a symbolic link is refused too.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    flags |= 0 if follow else getattr(os, "O_NOFOLLOW", 0)
    name = os.fspath(path)
    try:
        handle = os.open(name, flags)
    except ValueError:
        raise OSError(errno.EINVAL, "its name holds a null character", name) from None
    with open(handle, "rb") as stream:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), name)
        if not stat.S_ISREG(status.st_mode):
            raise OSError(errno.EINVAL, "it is no regular file", name)
        # Reading reserves memory for as many bytes as it is asked for.
        data = stream.read(min(most, os.fstat(stream.fileno()).st_size) + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"it is larger than {most} bytes", name)
    return data


def text_of(path: Path, *, most: int = MOST_BYTES) -> str:
    """Return the text of a regular file in UTF-8. Raises OSError and UnicodeDecodeError."""
    return read_regular(path, most=most).decode("utf-8")
