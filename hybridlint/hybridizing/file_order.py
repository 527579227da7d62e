"""The order of conversion: a file comes after those it imports, so child blocks and base classes are hybrid first."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path

from hybridlint.analysis.imports.finder import ImportFinder
from hybridlint.analysis.imports.statements import imports
from hybridlint.text.source import SourceError, SourceFile
from hybridlint.text.syntax import walk


def children_first(sources: Sequence[SourceFile]) -> list[SourceFile]:
    """Return files sorted so that each comes after those it imports; import cycles keep the given order."""
    finder = ImportFinder()
    by_path = {finder.resolved(source.path): source for source in sources}
    ordered: dict[Path, SourceFile] = {}
    begun: set[Path] = set()

    def visit(path: Path) -> None:
        if path in begun:
            return
        begun.add(path)
        for other in _imported(by_path[path], path, finder):
            if other in by_path:
                visit(other)
        ordered[path] = by_path[path]

    for path in by_path:
        visit(path)
    return list(ordered.values())


def _imported(source: SourceFile, path: Path, finder: ImportFinder) -> list[Path]:
    try:
        nodes = [n for n in walk(source.tree) if isinstance(n, ast.Import | ast.ImportFrom)]
    except SourceError:
        return []
    found = []
    for _, each in imports(iter(nodes)):
        for dotted in filter(None, (each.dotted, each.module)):
            target = finder.locate(path, dotted, each.level)
            if target is not None:
                found.append(target)
    return found
