"""Names for files and folders that exist for a moment, and the removal of those that a killed process has left."""

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
    """Return a new name in the folder of a file, for what is to replace it; the file's own may be as long as can be.

    What killed processes have left in the folder is removed first.
    """
    _clean(target.parent, os.unlink)
    return target.parent / f".{prefix()}{os.urandom(8).hex()}.tmp"


def prefix() -> str:
    """Return how the names of this process begin."""
    return f"hybridlint-{os.getpid()}-"


def clean_folders(folder: Path) -> None:
    """Remove the folders that killed processes of this user have left in a folder, such as that of temporary files."""
    _clean(folder, _remove_folder)


def _remove_folder(name: str) -> None:
    import shutil

    shutil.rmtree(name, ignore_errors=True)


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
    """Whether a process runs, as far as this system tells without sending it anything."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:
        return True
    return True
