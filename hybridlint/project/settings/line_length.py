"""The maximum line length of a file: the project's Ruff or Black setting, else the file's own lines."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from hybridlint.text.regular import text_of

#: The default of Black and Ruff.
USUAL = 88
#: The longest that lines are made because others of the file are as long.
MOST = 120
#: Lines of a file that must be longer than usual for its author to mean it.
_MEANT = 3
#: The largest file that is read for it, in bytes.
_MOST_BYTES = 16 << 20


def line_length(path: Path, lines: Sequence[str] = ()) -> int:
    """Return a file's maximum line length: the setting of the nearest pyproject.toml above it that has one.

    Without one it is 88, or as much as three of the file's lines have, 120 at most.
    """
    found = _of_folder(os.path.dirname(os.path.abspath(path)))
    return _shown(lines) if found is None else found


def _shown(lines: Sequence[str]) -> int:
    longest = sorted((len(line) for line in lines), reverse=True)[:_MEANT]
    return min(max(USUAL, longest[-1]), MOST) if len(longest) == _MEANT else USUAL


@cache
def _of_folder(folder: str) -> int | None:
    found = _configured(Path(folder, "pyproject.toml"))
    if found is not None:
        return found
    above = os.path.dirname(folder)
    return None if above == folder else _of_folder(above)


def _configured(path: Path) -> int | None:
    """Return the line length set in a file, or None if it has none or cannot be read."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        tools: Any = tomllib.loads(text_of(path, most=_MOST_BYTES)).get("tool", {})
    except (OSError, ValueError, RecursionError):
        return None
    tables = [tools.get(name) for name in ("ruff", "black")] if isinstance(tools, dict) else []
    lengths = [table.get("line-length") for table in tables if isinstance(table, dict)]
    return next((n for n in lengths if isinstance(n, int) and not isinstance(n, bool) and n > 0), None)
