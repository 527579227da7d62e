"""Files whose hybrid code calls into the named files. The check of the named files shows errors caused there."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path

from hybridlint.analysis.imports.text_imports import TextImports
from hybridlint.project.files.importers import importers_of
from hybridlint.text.regular import read_regular
from hybridlint.text.screening import may_be_hybrid

_FUNCTION, _CLASS = re.compile(rb"^(?:async )?def ", re.MULTILINE), re.compile(rb"^class ", re.MULTILINE)
_ENTRY = re.compile(rb"^[ \t]+def hybrid_forward\(", re.MULTILINE)
#: In projects of more files callers are not looked for, as reading them would take too long.
_MOST_FILES = 4_000


def may_be_called(path: Path) -> bool:
    """Whether a file defines a function, or a class without an entry: a block with one is checked by itself."""
    try:
        data = read_regular(path)
    except OSError:
        return False
    return _FUNCTION.search(data) is not None or len(_CLASS.findall(data)) > len(_ENTRY.findall(data))


def callers_of(called: Iterable[Path], checked: Iterable[Path], around: Iterable[Path]) -> list[Path]:
    """Return the files `around` with hybrid code that import a called file, without the checked files."""
    files = [Path(os.path.realpath(path)) for path in around]
    if len(files) > _MOST_FILES:
        return []
    importers = TextImports().importers([Path(os.path.realpath(path)) for path in called], files)
    given = {Path(os.path.realpath(path)) for path in checked}
    return sorted(path for path in importers - given if _is_hybrid(path))


def is_imported(path: Path) -> bool:
    """Whether a file of the project imports a file."""
    return bool(importers_of(path))


def _is_hybrid(path: Path) -> bool:
    try:
        return may_be_hybrid(read_regular(path))
    except OSError:
        return False
