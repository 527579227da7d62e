"""Selection of the classes that belong to the project, and their keys in the record."""

from __future__ import annotations

import os
import sys
import tokenize
from typing import Any

from hybridlint.proving.recording.sources import class_digests

#: Folders in a project that hold third-party code.
_FOREIGN = {"site-packages", "dist-packages", "node_modules"}


class Files:
    """The project's files under `root`, with the class digests of each file when it was first needed."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self._digests: dict[str, dict[str, str]] = {}
        self._keys: dict[type, tuple[str, str] | None] = {}

    def key(self, cls: Any) -> tuple[str, str] | None:
        """Return ``path/of/file.py:Class`` and the class's digest, or None for a class outside the project."""
        if cls not in self._keys:
            self._keys[cls] = self._found(cls)
        return self._keys[cls]

    def _found(self, cls: Any) -> tuple[str, str] | None:
        file = getattr(sys.modules.get(cls.__module__), "__file__", None)
        if file is None:
            return None
        path = os.path.realpath(file)
        if not path.startswith(self.root + os.sep) or _FOREIGN & set(path.split(os.sep)):
            return None
        if path not in self._digests:
            self._digests[path] = class_digests(_text(path))
        digest = self._digests[path].get(cls.__qualname__)
        relative = os.path.relpath(path, self.root).replace(os.sep, "/")
        return None if digest is None else (f"{relative}:{cls.__qualname__}", digest)


def _text(path: str) -> str:
    try:
        with tokenize.open(path) as stream:
            return stream.read()
    except (OSError, SyntaxError, UnicodeDecodeError):
        return ""
