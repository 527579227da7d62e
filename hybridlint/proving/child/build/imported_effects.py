"""The side effects of functions that a module imports from files of its own project, read from their source."""

from __future__ import annotations

import ast
import os
import sys
from collections.abc import Iterator

from hybridlint.proving.child.build.effects import Effects

#: Most files that are read for the functions of one module.
_MOST = 40


class ImportedEffects:
    """Finds the side effects of functions in one file and its imported files, reading each file once."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)
        self._known: dict[str, Effects | None] = {}

    def of(self, tree: ast.Module) -> Effects:
        """Return the side effects of the functions in the file at the constructor's path. `tree` is its parsed text."""
        self._known[self._path] = Effects(tree, self._from(self._path))
        return self._known[self._path] or Effects(tree)

    def _from(self, path: str) -> _From:
        return _From(self, path)

    def effects(self, path: str) -> Effects | None:
        """Return the side effects of the functions of another file, None if it cannot be read or too many were."""
        if path not in self._known:
            self._known[path] = None
            if len(self._known) <= _MOST:
                self._known[path] = self._read(path)
        return self._known[path]

    def _read(self, path: str) -> Effects | None:
        try:
            with open(path, encoding="utf-8") as stream:
                return Effects(ast.parse(stream.read()), self._from(path))
        except (OSError, SyntaxError, ValueError):
            return None


class _From:
    """Resolves the imports of one file."""

    def __init__(self, around: ImportedEffects, path: str) -> None:
        self.around = around
        self.path = path

    def __call__(self, dotted: str) -> str | None:
        """Return the side effect of calling an imported name, None if it has none. Raises LookupError if not known."""
        for file, name in self._places(dotted):
            effects = self.around.effects(file)
            if effects is not None and effects.binds(name):
                return effects.of_name(name)
        raise LookupError(dotted)

    def _places(self, dotted: str) -> Iterator[tuple[str, str]]:
        """Yield pairs (file, name in that file) where the dotted name may be defined."""
        path = dotted.lstrip(".")
        folder = self._folder(len(dotted) - len(path), path.partition(".")[0])
        parts = path.split(".")
        if folder is not None:
            module = os.path.join(folder, *parts[:-1])
            yield os.path.join(module, "__init__.py"), parts[-1]
            if parts[:-1]:
                yield f"{module}.py", parts[-1]

    def _folder(self, level: int, first: str) -> str | None:
        """Return the folder that an import starts from.

        For a relative import `level` is its number of dots; for an absolute one it is the folder that contains `first`.
        """
        folder = os.path.dirname(self.path)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return folder
        while os.path.isfile(os.path.join(folder, "__init__.py")):
            folder = os.path.dirname(folder)
        # Files beside the package, or beside a file outside any package, take precedence over installed ones; so do
        # those in a folder from which Python imports, where a folder without `__init__.py` is a package too.
        above = [folder, *_parents(folder)]
        return next((each for each in above if each in sys.path and _holds(each, first)), None) or (
            folder if _holds(folder, first) else None
        )


def _parents(folder: str) -> Iterator[str]:
    while os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
        yield folder


def _holds(folder: str, name: str) -> bool:
    beside = os.path.join(folder, name)
    return os.path.isfile(f"{beside}.py") or os.path.isdir(beside)
