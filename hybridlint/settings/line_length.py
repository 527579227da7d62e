"""The maximum line length of a file: the project's setting for Ruff or Black, or else 88."""

from __future__ import annotations

import os
import sys
from functools import cache
from pathlib import Path
from typing import Any

from hybridlint.text.regular import text_of

#: The default of Black and Ruff.
USUAL = 88
#: The largest file that is read for it, in bytes.
_MOST_BYTES = 16 << 20


def line_length(path: Path) -> int:
    """Return a file's maximum line length: the setting of the nearest pyproject.toml above it that has one."""
    return _of_folder(os.path.dirname(os.path.abspath(path)))


@cache
def _of_folder(folder: str) -> int:
    found = _configured(Path(folder, "pyproject.toml"))
    if found is not None:
        return found
    above = os.path.dirname(folder)
    return USUAL if above == folder else _of_folder(above)


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
