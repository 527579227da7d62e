"""Names of temporary files and folders, and the removal of those that a killed process left."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from pathlib import Path

#: The number of the process that made it is part of a name, so that a later one can tell whether it still works.
_NAME = re.compile(r"\.?hybridlint-(\d+)-[0-9a-z_]{8,16}(\.tmp)?")


def beside(target: Path) -> Path:
    """Return a new name in the folder of a file, for its replacement. The file's name may be very long.

    Leftovers of killed processes in the folder are removed first.
    """
    _clean(target.parent, os.unlink)
    return target.parent / f".{prefix()}{os.urandom(8).hex()}.tmp"


def prefix() -> str:
    """Return how the names of this process begin."""
    return f"hybridlint-{os.getpid()}-"


def clean_folders(folder: Path) -> None:
    """Remove the folders that killed processes of this user have left in a folder, such as that of temporary files."""
    _clean(folder, remove_folder)


def remove_folder(name: str) -> None:
    """Remove a folder with its content, however deep it is, without following links; what cannot be removed stays."""
    if os.scandir not in os.supports_fd or os.rename not in os.supports_dir_fd:
        import shutil

        shutil.rmtree(name, ignore_errors=True)
        return
    with suppress(OSError):
        top = _opened(name, None)
        try:
            _empty(top)
        finally:
            os.close(top)
        os.rmdir(name)


def _empty(top: int) -> None:
    """Remove the content of an open folder. Inner folders are moved up first, so that no path gets long."""
    mark = os.urandom(8).hex()
    moved = 0
    pending: list[str | None] = [None]
    while pending:
        name = pending.pop()
        with suppress(OSError):
            place = top if name is None else _opened(name, top)
            try:
                with os.scandir(place) as entries:
                    found = [(entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries]
                for inner, is_folder in found:
                    with suppress(OSError):
                        if not is_folder:
                            os.unlink(inner, dir_fd=place)
                            continue
                        moved += 1
                        _make_accessible(inner, place)
                        os.rename(inner, f"{mark}-{moved}", src_dir_fd=place, dst_dir_fd=top)
                        pending.append(f"{mark}-{moved}")
            finally:
                if name is not None:
                    os.close(place)
                    os.rmdir(name, dir_fd=top)


def _opened(name: str, within: int | None) -> int:
    return os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=within)


def _make_accessible(name: str, within: int) -> None:
    """Let the owner read and change a folder that may have been made without these rights."""
    mode = os.stat(name, dir_fd=within, follow_symlinks=False).st_mode
    if mode & 0o700 != 0o700:
        os.chmod(name, 0o700, dir_fd=within)


@cache
def _clean(folder: Path, remove: Callable[[str], None]) -> None:
    """Remove what killed processes have left in a folder, once in the life of this process."""
    with suppress(OSError), os.scandir(folder) as entries:
        left = [entry for entry in entries if (match := _NAME.fullmatch(entry.name)) and not _runs(int(match[1]))]
        for entry in left:
            with suppress(OSError):
                if not hasattr(os, "getuid") or entry.stat(follow_symlinks=False).st_uid == os.getuid():
                    remove(entry.path)


def _runs(process: int) -> bool:
    """Whether a process runs, judging by this system without sending it anything."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
