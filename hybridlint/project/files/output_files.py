"""Files that a command writes where the user names a place for them, or adds to."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hybridlint.core.errors import UsageError
from hybridlint.project.files.original import ChangedError, keep, read, replace
from hybridlint.system.temporary import beside


def write_whole(path: Path, text: str) -> None:
    """Write a file atomically; one that is there keeps owner, permissions and attributes.

    A symbolic link at the path is replaced; its target is left alone. A path that is not a regular file, such as
    ``/dev/stdout``, is written to directly. Raises UsageError.
    """
    try:
        if path.exists() and not path.is_symlink() and not path.is_file():
            path.write_text(text, encoding="utf-8")
            return
        _replace(path, text)
    except ChangedError as error:
        raise UsageError(f"{path}: {error}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot write the file: {error.strerror}") from error


def change_whole(path: Path, before: str, after: str) -> None:
    """Replace the text of a file that was read as `before`, keeping its line ends and symbolic links.

    Raises UsageError if it has another text by now, or if its other properties would be lost.
    """
    try:
        data, identity = read(path)
        text = data.decode("utf-8")
        if text.replace("\r\n", "\n") != before.replace("\r\n", "\n"):
            raise ChangedError("the file has changed since it was read, and was left alone; run the command again")
        wanted = after.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in text else after
        replace(path, identity, data, wanted.encode())
    except (ChangedError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: {error}") from error
    except OSError as error:
        raise UsageError(f"{path}: cannot write the file: {error.strerror}") from error


def _replace(path: Path, text: str) -> None:
    new = beside(path)
    try:
        with open(new, "x", encoding="utf-8") as stream:
            stream.write(text)
        if path.exists() and not path.is_symlink():
            keep(new, path, path.stat())
        os.replace(new, path)
    except BaseException:
        with suppress(OSError):
            new.unlink()
        raise
