"""The size of a folder whose content may be hostile."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import NamedTuple


class FolderUsage(NamedTuple):
    """The bytes on disk, files and folders inside a folder; `whole` says that all of them were counted."""

    disk: int
    files: int
    folders: int
    whole: bool


def usage(folder: str, most: int) -> FolderUsage:
    """Return the disk usage of a folder; the count of files stops above `most`.

    Links do not count: those to the user's files are made by the proof itself.
    """
    disk = files = folders = 0
    whole = True
    pending = [folder]
    while pending and files + folders <= most:
        try:
            with os.scandir(pending.pop()) as entries:
                for entry in entries:
                    if entry.is_symlink() or files + folders > most:
                        continue
                    is_folder = entry.is_dir(follow_symlinks=False)
                    files, folders = files + (not is_folder), folders + is_folder
                    pending += [entry.path] if is_folder else []
                    disk += entry.stat(follow_symlinks=False).st_blocks * 512
        except FileNotFoundError:
            # Files come and go while this runs.
            continue
        except OSError:
            whole = False
    return FolderUsage(disk, files, folders, whole)


def unlinked_bytes(process: int, folder: str) -> int:
    """Return the bytes on a folder's disk in files that a process holds open after their deletion."""
    total = 0
    with suppress(OSError):
        disk = os.stat(folder).st_dev
        for name in os.listdir(f"/proc/{process}/fd"):
            with suppress(OSError):
                found = os.stat(f"/proc/{process}/fd/{name}")
                total += found.st_blocks * 512 if found.st_nlink == 0 and found.st_dev == disk else 0
    return total
