"""``distutils.spawn``: programs on the path."""

from __future__ import annotations

import shutil


def find_executable(executable: str, path: str | None = None) -> str | None:
    """Return the path of an executable, or None if there is none."""
    return shutil.which(executable, path=path)
