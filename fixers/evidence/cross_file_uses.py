"""Other files of a project that may hold blocks of the classes of a file."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import lru_cache
from pathlib import Path

from hybridlint.text.source import SourceFile

#: What a file contains that holds blocks in a graph of its own.
_HYBRID = re.compile(rb"\b(?:HybridBlock|HybridSequential|hybrid_forward)\b")
#: A part of each of these words.
_PART = b"ybrid"
_PACKAGE = "__init__.py"
#: More files than this are not searched: such a project has users of everything.
_MOST_FILES = 2_000
#: Most classes that one fix changes together; the author of more of them decides alone.
_MOST_CLASSES = 4


def why_only_shown(source: SourceFile, names: Collection[str], change: str, danger: str) -> str | None:
    """Return why a fix of classes is only shown: they are many, or other files use them; else None.

    `change` says what would happen to the classes, `danger` what the file that uses them might do.
    """
    if len(names) > _MOST_CLASSES:
        return f"{len(names)} classes {change}"
    other = user_elsewhere(source, names)
    return None if other is None else f"`{other}` uses them too, and {danger}"


def user_elsewhere(source: SourceFile, names: Collection[str]) -> str | None:
    """Return the name of a file with hybrid code that names a class of this file; None without one.

    Searched are the files of the outermost package around it, or of its folder.
    """
    if not source.path.is_file():
        return None
    own = source.path.resolve()
    packaged = (own.parent / _PACKAGE).is_file()
    named = re.compile(rf"\b(?:{'|'.join(map(re.escape, sorted(names)))})\b")
    module = re.compile(rf"\b{re.escape(own.parent.name if own.name == _PACKAGE else own.stem)}\b")
    for path, text in _hybrid_texts(_top(own.parent)):
        if not any(name in text for name in names) or path == own:
            continue
        # A module of a folder names the file that it takes a class from; in packages there are other ways.
        if named.search(text) and (packaged or module.search(text)):
            return path.name
    return None


def _top(folder: Path) -> Path:
    """Return the outermost package that a folder belongs to, or the folder itself."""
    while (folder / _PACKAGE).is_file() and folder.parent != folder and (folder.parent / _PACKAGE).is_file():
        folder = folder.parent
    return folder


@lru_cache(maxsize=1)
def _hybrid_texts(top: Path) -> tuple[tuple[Path, str], ...]:
    return tuple(
        (path, data.decode("utf-8", errors="replace"))
        for path, data in _read(top)
        # The plain search is much faster.
        if _PART in data and _HYBRID.search(data) is not None
    )


def _read(top: Path) -> Iterator[tuple[Path, bytes]]:
    found = sorted(top.rglob("*.py") if (top / _PACKAGE).is_file() else top.glob("*.py"))
    for path in found[:_MOST_FILES]:
        yield path, path.read_bytes()
