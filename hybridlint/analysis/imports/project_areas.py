"""The folder of the project that each file belongs to, if that is certain."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from hybridlint.analysis.imports.finder import ImportFinder
from hybridlint.analysis.imports.folder_listings import SUFFIX


def areas_of(named: Iterable[Path], root_of: Callable[[Path], Path]) -> list[Path]:
    """Return the folders of the projects that named files belong to; `root_of` returns that of a folder's settings."""
    finder = ImportFinder()
    python = (Path(os.path.realpath(path)) for path in named if path.suffix == SUFFIX)
    return list(dict.fromkeys(_area(path, root_of(path.parent), finder) for path in python))


def _area(path: Path, root: Path, finder: ImportFinder) -> Path:
    """Return the folder of the project that a file belongs to, if that is certain."""
    first = finder.roots.first(path.parent)
    if finder.roots.is_marked(first):
        return finder.roots.top(first)
    root = Path(os.path.realpath(root))
    inside = first.is_relative_to(root) and root.is_relative_to(finder.roots.top(first))
    return root if inside else first
