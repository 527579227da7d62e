"""Which files import which, by their texts alone: neither parsed nor analyzed."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from hybridlint.analysis.imports.finder import ImportFinder, ImportTarget
from hybridlint.analysis.imports.statements import imports_in_text
from hybridlint.text.regular import read_regular


class TextImports:
    """Reads the imports of files, each once. Statements in strings count too."""

    def __init__(self, finder: ImportFinder | None = None) -> None:
        self.finder = finder or ImportFinder()
        self._imported: dict[Path, tuple[tuple[ImportTarget, int], ...]] = {}

    def targets(self, path: Path) -> frozenset[Path]:
        """Return the resolved paths of the files that a file, given by its resolved path, imports."""
        return frozenset(target.path for target, _ in self.imported(path))

    def imported(self, path: Path) -> tuple[tuple[ImportTarget, int], ...]:
        """Return where the imports of a file lead within the project, each with its number of leading dots."""
        if path not in self._imported:
            try:
                text = read_regular(path).decode("utf-8", errors="replace")
            except OSError:
                text = ""
            self._imported[path] = tuple(self._targets(path, text))
        return self._imported[path]

    def _targets(self, path: Path, text: str) -> Iterator[tuple[ImportTarget, int]]:
        for each in dict.fromkeys(imports_in_text(text)):
            for dotted in dict.fromkeys((each.module, each.dotted)):
                target = self.finder.target(path, dotted, each.level) if dotted or each.level else None
                # A file named like a library imports that, and never itself.
                if target is not None and target.path != path:
                    yield target, each.level

    def reached(self, files: Iterable[Path]) -> set[Path]:
        """Return files and all that they import, directly or through others, by resolved paths."""
        found: set[Path] = set()
        waiting = list(files)
        while waiting:
            path = waiting.pop()
            if path not in found:
                found.add(path)
                waiting += self.targets(path)
        return found

    def importers(self, of: Collection[Path], among: Iterable[Path]) -> set[Path]:
        """Return the files, by resolved paths, that import one of the files `of`, directly or through others."""
        return transitive_importers(of, self.importers_by_target(among))

    def importers_by_target(self, among: Iterable[Path]) -> dict[Path, list[Path]]:
        """Return which of some files import a file directly, by that file; all by resolved paths."""
        importers: dict[Path, list[Path]] = {}
        for path in among:
            for target in self.targets(path):
                importers.setdefault(target, []).append(path)
        return importers


def transitive_importers(of: Iterable[Path], importers: Mapping[Path, Sequence[Path]]) -> set[Path]:
    """Return the files that import one of the files `of`, directly or through others."""
    found: set[Path] = set()
    waiting = list(of)
    while waiting:
        for path in importers.get(waiting.pop(), ()):
            if path not in found:
                found.add(path)
                waiting.append(path)
    return found
