"""The files of a program that an explanation reads: their lines, definitions, and the classes that names tell."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceError, SourceFile

_CLASS = re.compile(r"^\s*class (\w+)", re.MULTILINE)


@record(frozen=True, slots=True)
class ClassInFile:
    """A class of a file."""

    source: SourceFile
    node: ast.ClassDef

    @property
    def _prefix(self) -> re.Pattern[str]:
        """How Gluon names the instances of the class: its name in small letters, and a number."""
        return re.compile(rf"(?:^|_){re.escape(self.node.name.lower())}\d+_")

    def position_in(self, name: str) -> int:
        """Return where the name of a node or parameter goes on after the innermost prefix of the class, or 0."""
        return max((match.end() for match in self._prefix.finditer(name)), default=0)


def definitions_in(source: SourceFile) -> Iterator[ast.ClassDef | ast.FunctionDef]:
    """Yield the classes and functions that a file defines at its top; none if it does not parse."""
    try:
        body = source.tree.body
    except SourceError:
        return
    yield from (node for node in body if isinstance(node, ast.ClassDef | ast.FunctionDef))


def holds_row(node: ast.ClassDef | ast.FunctionDef, row: int) -> bool:
    """Whether a row of a file is in a class or function."""
    return node.lineno <= row <= (node.end_lineno or node.lineno)


def classes_named_by(names: Sequence[str], paths: Iterable[Path]) -> list[tuple[str, ClassInFile]]:
    """Return each name with the classes whose instances have made it, the innermost class first."""
    found = [(name, owner) for owner in _owners(names, paths) for name in names if owner.position_in(name)]
    return sorted(found, key=lambda pair: (names.index(pair[0]), -pair[1].position_in(pair[0])))


def _owners(names: Sequence[str], paths: Iterable[Path]) -> Iterator[ClassInFile]:
    for path in paths if names else ():
        source = read_source_file(path)
        if source is None or not any(word.lower() in name for word in _CLASS.findall(source.text) for name in names):
            continue
        yield from _classes_in(source)


def _classes_in(source: SourceFile) -> Iterator[ClassInFile]:
    """Yield the classes of a file, inner ones too; none if it does not parse."""
    try:
        tree = source.tree
    except SourceError:
        return
    yield from (ClassInFile(source, node) for node in ast.walk(tree) if isinstance(node, ast.ClassDef))


def read_source_file(path: Path) -> SourceFile | None:
    """Return a file of the program, None if it cannot be read."""
    try:
        state = path.stat()
        return _read_state(path.absolute(), state.st_mtime_ns, state.st_size)
    except (OSError, SourceError):
        return None


@lru_cache(maxsize=16)
def _read_state(path: Path, _changed: int, _size: int) -> SourceFile:
    return SourceFile.read(path)


def line_of(path: Path, row: int) -> str:
    """Return a line of a file without its indentation; "" if there is none."""
    source = read_source_file(path)
    lines = source.text.split("\n") if source is not None else []
    return lines[row - 1].strip() if 0 < row <= len(lines) else ""
