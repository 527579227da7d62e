"""Uses of a file's classes in neighbouring files: calls of their methods, and subclasses.

A conversion must not break them: a method called elsewhere keeps a signature that suits these calls.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.hybridizing.outcome import Reason
from hybridlint.project.files.importers import importers_of
from hybridlint.text.syntax import walk

if TYPE_CHECKING:
    from hybridlint.text.source import SourceFile

#: A call of a method, with the name or the bracket in front of its dot.
_CALL = re.compile(r"([\w\])]+)\s*\.\s*(\w+)\s*\(")
_SUPER = re.compile(r"super\([^()]*\)\s*\.\s*\w+\s*\(")
_CLASS = re.compile(r"^[ \t]*class[ \t]+(\w+)[ \t]*\(([^)]*)\)", re.MULTILINE)
_WORD = re.compile(r"\w+")
#: Most files of a folder that are read.
_MOST = 2_000


def publicly_called(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of methods that source texts call on anything but ``self`` and ``super()``."""
    return frozenset(name for text in texts for name in _called(text))


def outside_heirs(sources: Sequence[SourceFile]) -> Iterator[tuple[Path, dict[str, Reason]]]:
    """Yield each file with its classes that are base classes in neighbouring files, if these are not in `sources`.

    A class comes with the reason why it cannot be converted: the file of its subclass was not given.
    """
    given = {source.path for source in sources}
    for source in sources:
        names = {node.name: node.lineno for node in walk(source.tree) if isinstance(node, ast.ClassDef)}
        if not names:
            continue
        found = {
            base: Reason(f"`{name}` in {path.name} derives from it: name that file too", names[base])
            for path in files_around(source.path)
            if path not in given
            for name, bases in _derived(path)
            for base in bases
            if base in names and _imports_from(_text(path), source.path.stem)
        }
        if found:
            yield source.path, found


@lru_cache(maxsize=_MOST)
def _derived(path: Path) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Return the classes of a file with the names in their lists of base classes, by its text alone."""
    return tuple((name, tuple(_WORD.findall(bases))) for name, bases in _CLASS.findall(_text(path)))


def _imports_from(text: str, module: str) -> bool:
    """Whether an import statement in a source text names a module."""
    return re.search(rf"^[ \t]*(?:from|import)\b[^\n]*\b{re.escape(module)}\b", text, re.MULTILINE) is not None


def around(path: Path) -> Iterator[str]:
    """Yield the texts of `files_around` a file."""
    return map(_text, files_around(path))


def files_around(path: Path) -> Iterator[Path]:
    """Yield the Python files that may use a file: those of its package or folder, itself included, and its importers.

    Importers are found as Python resolves imports, also through folders without `__init__.py`.
    """
    beside, seen = _files_beside(path.parent)
    yield from beside
    yield from (other for other in sorted(importers_of(path)) if str(other) not in seen)


@lru_cache(maxsize=64)
def _files_beside(folder: Path) -> tuple[tuple[Path, ...], frozenset[str]]:
    """Return the files of a folder, or of the package that it is in, and their resolved paths."""
    inside = (folder / "__init__.py").is_file()
    while (folder.parent / "__init__.py").is_file():
        folder = folder.parent
    files = tuple(islice(folder.rglob("*.py") if inside else folder.glob("*.py"), _MOST))
    return files, frozenset(os.path.realpath(file) for file in files)


@lru_cache(maxsize=_MOST)
def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


def _called(text: str) -> Iterator[str]:
    for found in _CALL.finditer(_SUPER.sub("", text)):
        if found.group(1) != "self":
            yield found.group(2)
