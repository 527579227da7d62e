"""The files of a project that import a file, as Python resolves imports: also in folders without `__init__.py`."""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from hybridlint.analysis.imports.project_areas import areas_of
from hybridlint.analysis.imports.text_imports import TextImports, transitive_importers
from hybridlint.project.files.discover import Excludes, discover

#: More files of a project are not read.
_MOST_FILES = 4_000


@lru_cache(maxsize=64)
def importers_of(path: Path) -> frozenset[Path]:
    """Return the resolved paths of the project's files that import a file, directly or through others."""
    real = Path(os.path.realpath(path))
    [area] = areas_of([real], lambda _: Path.cwd())
    return frozenset(transitive_importers([real], _importers_in(area)))


@lru_cache(maxsize=4)
def _importers_in(area: Path) -> dict[Path, list[Path]]:
    """Return which files of an area import a file, by that file. It is read once: many of its files are asked for."""
    around = discover([area], lambda folder: Excludes(area))[:_MOST_FILES]
    return TextImports().importers_by_target(Path(os.path.realpath(other)) for other in around)


def forget_importers() -> None:
    """Have the imports of projects read anew: their files have changed."""
    importers_of.cache_clear()
    _importers_in.cache_clear()
