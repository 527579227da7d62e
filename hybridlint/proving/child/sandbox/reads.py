"""Record of the files and folders that a proof reads: opened files, listed folders, and imported modules."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

from hybridlint.core import schema

#: Folders that the system generates.
_NO_FILES = ("/proc/", "/sys/", "/dev/")


#: What `Reads.news` returns, as a message has it.
READ = schema.fields(
    {"files": schema.items(schema.file_path, most=100_000), "folders": schema.items(schema.file_path, most=100_000)}
)


class FileReads:
    """Collects the paths that are read, and reports each one once; a cached outcome holds while these are unchanged.

    Files in the folder `scratch` belong to the proof itself and do not count, except those in its folder `work`, whose
    entries are links to those of the user's folder `shown`.
    """

    def __init__(self, scratch: str, work: str, shown: str) -> None:
        self.scratch = os.path.join(scratch, "")
        self.work = os.path.join(work, "")
        self.shown = shown
        self._files: dict[Any, None] = {}
        self._folders: dict[Any, None] = {}
        self._reported: set[str] = set()

    def opened(self, path: Any) -> None:
        """Record a file that is opened for reading, by its absolute path at that time."""
        if isinstance(path, (str, bytes, os.PathLike)):
            self._files[os.path.join(os.getcwd(), os.fsdecode(path))] = None

    def listed(self, path: Any) -> None:
        """Record a folder that is listed."""
        if path is None or isinstance(path, (str, bytes, os.PathLike)):
            self._folders[os.path.join(os.getcwd(), os.fsdecode(path or "."))] = None

    def news(self) -> dict[str, list[str]]:
        """Return the "files" and "folders" that were read and that no earlier call of this method returned."""
        # Some module objects answer for any attribute, so only plain modules are asked.
        modules = [vars(module).get("__file__") for module in list(sys.modules.values()) if type(module) is ModuleType]
        files = [*map(_source, list(self._files)), *(path for path in modules if isinstance(path, str))]
        # A new file in a folder of `sys.path` could shadow a module.
        return {"files": self._new(files), "folders": self._new([*self._folders, *map(os.path.abspath, sys.path)])}

    def _new(self, paths: list[str]) -> list[str]:
        found = []
        for path in dict.fromkeys(map(self._real, paths)):
            if path is not None and path not in self._reported:
                self._reported.add(path)
                found.append(path)
        return found

    def _real(self, path: str) -> str | None:
        """Return the real path of a file, None if it is not one of the user's."""
        path = os.path.normpath(path)
        if not os.path.isabs(path) or path.startswith(_NO_FILES):
            return None
        if os.path.join(path, "").startswith(self.work):
            return os.path.normpath(os.path.join(self.shown, path[len(self.work) :]))
        return None if path.startswith(self.scratch) else path


def _source(path: str) -> str:
    """Return the source file for a bytecode file; other paths are unchanged."""
    if not path.endswith(".pyc"):
        return path
    try:
        return importlib.util.source_from_cache(path)
    except ValueError:
        return path
