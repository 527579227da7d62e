"""Files that a command writes where the user names a place for them."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hybridlint.errors import UsageError


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically. A symbolic link at the path is replaced; its target is left alone.

    A path that is not a regular file, such as ``/dev/stdout``, is written to directly. Raises UsageError.
    """
    try:
        if path.exists() and not path.is_symlink() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        _replace(path, text)
    except OSError as error:
        raise UsageError(f"{path}: cannot write the file: {error.strerror}") from error


def _replace(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(beside, "x", encoding="utf-8") as stream:
            stream.write(text)
        os.replace(beside, path)
    except BaseException:
        with suppress(OSError):
            beside.unlink()
        raise
