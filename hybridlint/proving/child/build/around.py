"""The files around a module, as far as its imports name them: what their functions do is read off them too."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterator

from hybridlint.proving.child.build.effects import Effects

#: Files that are read for the functions of one module at most.
_MOST = 40


class Around:
    """Finds what the modules of the package of one file define; each file is read once."""

    def __init__(self, path: str) -> None:
        self._path = os.path.abspath(path)
        self._known: dict[str, Effects | None] = {}

    def of(self, tree: ast.Module) -> Effects:
        """Return the effects of the functions of the file itself, by its tree."""
        self._known[self._path] = Effects(tree, self._from(self._path))
        return self._known[self._path] or Effects(tree)

    def _from(self, path: str) -> _From:
        return _From(self, path)

    def effects(self, path: str) -> Effects | None:
        """Return the effects of the functions of a file, None where it cannot be read."""
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
    """Finds what the imports of one file name."""

    def __init__(self, around: Around, path: str) -> None:
        self.around = around
        self.path = path

    def __call__(self, dotted: str) -> str | None:
        """Return what happens where a name is called that was imported; raises LookupError where nobody knows."""
        for file, name in self._places(dotted):
            effects = self.around.effects(file)
            if effects is not None and effects.binds(name):
                return effects.of_name(name)
        raise LookupError(dotted)

    def _places(self, dotted: str) -> Iterator[tuple[str, str]]:
        """Iterate over files that may define a name, with the name."""
        path = dotted.lstrip(".")
        folder = self._folder(len(dotted) - len(path), path.partition(".")[0])
        parts = path.split(".")
        if folder is not None:
            module = os.path.join(folder, *parts[:-1])
            yield os.path.join(module, "__init__.py"), parts[-1]
            if parts[:-1]:
                yield f"{module}.py", parts[-1]

    def _folder(self, level: int, first: str) -> str | None:
        """Return the folder from which an import goes: that of some dots, or the one that holds what comes first."""
        folder = os.path.dirname(self.path)
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return folder
        while os.path.isfile(os.path.join(folder, "__init__.py")):
            folder = os.path.dirname(folder)
        # What lies beside the package, or beside a file that is in none, comes before what is installed.
        beside = os.path.join(folder, first)
        return folder if os.path.isfile(f"{beside}.py") or os.path.isdir(beside) else None
