"""The names in folders. They alone decide where imports lead, so that no file is tested by itself."""

from __future__ import annotations

import os
from collections.abc import Callable

from hybridlint.runtime.facts.records import record

PACKAGE_FILE = "__init__.py"
SUFFIX = ".py"


@record(frozen=True, slots=True)
class FolderListing:
    """The Python files and the folders in a folder, by their names."""

    files: frozenset[str] = frozenset()
    folders: frozenset[str] = frozenset()

    def has(self, name: str) -> bool:
        """Whether the folder has a Python file or a folder of this name."""
        return name in self.files or name in self.folders


#: Returns the listing of a folder.
ListFolder = Callable[[str], FolderListing]


def list_folder(folder: str) -> FolderListing:
    """Return the Python files and folders in a folder, none if it cannot be read."""
    files: list[str] = []
    folders: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith(SUFFIX) and entry.is_file():
                    files.append(entry.name)
                elif entry.is_dir():
                    folders.append(entry.name)
    except OSError:
        return FolderListing()
    return FolderListing(frozenset(files), frozenset(folders))
