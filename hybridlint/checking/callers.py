"""The files whose hybrid code calls into files that are named: what these make wrong shows in the check of those."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.imports.finder import Finder
from hybridlint.imports.text_imports import TextImports
from hybridlint.text.regular import read_regular
from hybridlint.text.screening import may_be_hybrid

if TYPE_CHECKING:
    from hybridlint.checking.session import Session

#: In projects of more files callers are not looked for, as reading them would take too long.
_MOST_FILES = 4_000


def callers_of(named: Iterable[Path], checked: Sequence[Path], session: Session) -> list[Path]:
    """Return the files of the project with hybrid code that import one of the named files, without those checked."""
    texts = TextImports()
    given = {Path(os.path.realpath(path)) for path in checked}
    called: dict[Path, set[Path]] = {}
    for path in named:
        real = Path(os.path.realpath(path))
        called.setdefault(_area(real, session, texts.finder), set()).add(real)
    found: set[Path] = set()
    for area, files in called.items():
        around = [Path(os.path.realpath(path)) for path in session.files([area])]
        if len(around) <= _MOST_FILES:
            found |= texts.importers(files, around)
    return sorted(path for path in found - given if _is_hybrid(path))


def _area(path: Path, session: Session, finder: Finder) -> Path:
    """Return the folder of the project that a file belongs to, as far as that is sure."""
    first = finder.roots.first(path.parent)
    if finder.roots.is_marked(first):
        return finder.roots.top(first)
    root = Path(os.path.realpath(session.config(path.parent).root))
    inside = first.is_relative_to(root) and root.is_relative_to(finder.roots.top(first))
    return root if inside else first


def _is_hybrid(path: Path) -> bool:
    try:
        return may_be_hybrid(read_regular(path))
    except OSError:
        return False
