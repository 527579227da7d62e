"""The files of a project that may change what a block of another file reads."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from hybridlint.analysis.imports.folder_listings import SUFFIX
from hybridlint.analysis.imports.project_areas import areas_of
from hybridlint.analysis.imports.text_imports import TextImports
from hybridlint.project.files.discover import files_below

#: In projects of more files those that import a file are not looked for, as reading them would take too long.
_MOST_FILES = 2_000


@lru_cache(maxsize=1024)
def related_files(path: Path) -> tuple[Path, ...]:
    """Return the files that a file imports, and the project's files that import it or these files."""
    real = Path(os.path.realpath(path))
    [area] = areas_of([real], lambda _: Path.cwd())
    python, texts = _imports(area)
    if len(python) > _MOST_FILES:
        return ()
    imported = texts.reached([real]) | {real}
    found = imported | texts.importers(imported, python)
    return tuple(sorted(other for other in found - {real} if other.suffix == SUFFIX))


@lru_cache(maxsize=16)
def _imports(area: Path) -> tuple[list[Path], TextImports]:
    """Return the Python files of an area, not many more than are read, and a reader of their imports."""
    found = [Path(os.path.realpath(other)) for other in files_below(area, SUFFIX, _MOST_FILES + 1)]
    return [other for other in found if other.suffix == SUFFIX], TextImports()
