"""What a proof reads: files that are opened, folders that are listed, and the modules that are imported."""

from __future__ import annotations

import importlib.util
import os
import sys
from types import ModuleType
from typing import Any

#: What the system makes up.
_NO_FILES = ("/proc/", "/sys/", "/dev/")


class Reads:
    """Collects paths, each to be told once: an outcome holds while what was read is the same.

    What lies in the `scratch` folder is made by the proof, but that its folder `work` shows what is in `shown`.
    """

    def __init__(self, scratch: str, work: str, shown: str) -> None:
        self.scratch = os.path.join(scratch, "")
        self.work = os.path.join(work, "")
        self.shown = shown
        self._files: dict[Any, None] = {}
        self._folders: dict[Any, None] = {}
        self._told: set[str] = set()

    def opened(self, path: Any) -> None:
        """Keep what is opened to be read, as it is named there and then."""
        if isinstance(path, (str, bytes, os.PathLike)):
            self._files[os.path.join(os.getcwd(), os.fsdecode(path))] = None

    def listed(self, path: Any) -> None:
        """Keep a folder whose names are asked for."""
        if path is None or isinstance(path, (str, bytes, os.PathLike)):
            self._folders[os.path.join(os.getcwd(), os.fsdecode(path or "."))] = None

    def news(self) -> dict[str, list[str]]:
        """Return the paths that were not told yet."""
        # Some answer for names that they do not have.
        modules = [vars(module).get("__file__") for module in list(sys.modules.values()) if type(module) is ModuleType]
        files = [*map(_source, list(self._files)), *(path for path in modules if isinstance(path, str))]
        # Where modules are looked for, others can come first.
        return {"files": self._new(files), "folders": self._new([*self._folders, *map(os.path.abspath, sys.path)])}

    def _new(self, paths: list[str]) -> list[str]:
        found = []
        for path in dict.fromkeys(map(self._real, paths)):
            if path is not None and path not in self._told:
                self._told.add(path)
                found.append(path)
        return found

    def _real(self, path: str) -> str | None:
        """Return where a file lies, None for what is no file of the user's."""
        path = os.path.normpath(path)
        if not os.path.isabs(path) or path.startswith(_NO_FILES):
            return None
        if os.path.join(path, "").startswith(self.work):
            return os.path.normpath(os.path.join(self.shown, path[len(self.work) :]))
        return None if path.startswith(self.scratch) else path


def _source(path: str) -> str:
    """Return the file of a module whose bytecode is read in its place."""
    if not path.endswith(".pyc"):
        return path
    try:
        return importlib.util.source_from_cache(path)
    except ValueError:
        return path
