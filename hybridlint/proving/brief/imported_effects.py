"""The side effects of functions that a module imports from files of its own project."""

from __future__ import annotations

import ast
from functools import partial
from pathlib import Path

from hybridlint.analysis.imports.finder import ImportFinder
from hybridlint.proving.brief.effects import Effects
from hybridlint.proving.brief.project_texts import ProjectReader

#: Most files that are read for the functions of one module.
_MOST = 40


class ImportedEffects:
    """Finds the side effects of functions in one file and its imported files, reading each file once."""

    def __init__(self, path: str, reader: ProjectReader) -> None:
        self._path = path
        self._reader = reader
        self._finder = ImportFinder()
        self._known: dict[str, Effects | None] = {}

    def of(self, tree: ast.Module) -> Effects:
        """Return the side effects of the functions in the file at the constructor's path. `tree` is its parsed text."""
        effects = self._known[self._path] = Effects(tree, partial(self._imported, self._path))
        return effects

    def _effects(self, path: str) -> Effects | None:
        """Return the side effects of the functions of another file, None if it cannot be read or too many were."""
        if path not in self._known:
            self._known[path] = None
            text = self._reader.text(path) if len(self._known) <= _MOST else None
            if text is not None:
                self._known[path] = Effects(text.tree, partial(self._imported, path))
        return self._known[path]

    def _imported(self, path: str, dotted: str) -> str | None:
        """Return the side effect of calling a name that a file imports, None if it has none. Raises LookupError."""
        inner = dotted.lstrip(".")
        module, _, name = inner.rpartition(".")
        level = len(dotted) - len(inner)
        file = self._finder.locate(Path(path), module, level) if module or level else None
        effects = None if file is None else self._effects(str(file))
        if effects is None or not effects.binds(name):
            raise LookupError(dotted)
        return effects.of_name(name)
