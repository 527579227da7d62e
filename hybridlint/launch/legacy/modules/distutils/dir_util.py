"""``distutils.dir_util``: folders."""

from __future__ import annotations

import os
import shutil


def mkpath(name: str, mode: int = 0o777) -> list[str]:
    """Create a folder and its missing parents. Returns the folders created."""
    missing, above = [], os.path.normpath(name)
    while above and not os.path.isdir(above):
        missing.append(above)
        above = os.path.dirname(above)
    os.makedirs(name, mode, exist_ok=True)
    return missing[::-1]


def copy_tree(src: str, dst: str) -> list[str]:
    """Copy the content of a folder into another one. Returns the new files."""
    shutil.copytree(src, dst, dirs_exist_ok=True)
    copied = (os.path.join(folder, name) for folder, _, names in os.walk(src) for name in names)
    return [os.path.join(dst, os.path.relpath(path, src)) for path in copied]


def remove_tree(directory: str) -> None:
    """Remove a folder and its content."""
    shutil.rmtree(directory)
