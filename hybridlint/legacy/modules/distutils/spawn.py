"""``distutils.spawn``: programs on the path."""

from __future__ import annotations

import shutil


def find_executable(executable: str, path: str | None = None) -> str | None:
    """Return the file of a program, None where there is none."""
    return shutil.which(executable, path=path)
