"""The texts of the files around a file: those of its package, or of its folder if it is in no package."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from pathlib import Path

from hybridlint.analysis.imports.statements import ImportStatement, imports_in_text
from hybridlint.proving.read_set import ReadSet
from hybridlint.text.regular import read_regular

#: Limits: characters and files of a package that are read.
_MOST_BYTES, _MOST_FILES = 20_000_000, 3_000
#: Files whose texts and whose trees are kept.
_TEXTS, _TREES = 3_000, 64
_WORD = re.compile(r"[^\W\d]\w*")


class ProjectText:
    """One file: its path, its text, and the words in it."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text, those in strings and comments too."""
        return frozenset(_WORD.findall(self.text))

    @cached_property
    def imports(self) -> tuple[ImportStatement, ...]:
        """The import statements of the text, those in strings too."""
        return tuple(dict.fromkeys(imports_in_text(self.text)))

    @property
    def tree(self) -> ast.Module:
        """The syntax tree, an empty one if the text is no Python."""
        return _parsed(self)

    @property
    def classes(self) -> dict[str, ast.ClassDef]:
        """The classes at the top of the file."""
        return {node.name: node for node in self.tree.body if isinstance(node, ast.ClassDef)}

    def origin(self, node: ast.AST) -> str:
        """Return the place of a node, such as ``net.py:12``."""
        return f"{os.path.basename(self.path)}:{getattr(node, 'lineno', 1)}"


@lru_cache(maxsize=_TREES)
def _parsed(text: ProjectText) -> ast.Module:
    try:
        return ast.parse(text.text.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


class ProjectReader:
    """Reads files of a project, and notes in `read` which files and folders a brief depends on."""

    def __init__(self, read: ReadSet) -> None:
        self._read = read

    def text(self, path: str) -> ProjectText | None:
        """Return a file as it is now, None if it cannot be read."""
        try:
            stat = os.stat(path)
            text = _read(path, stat.st_mtime_ns, stat.st_size)
        except OSError:
            return None
        self._read.add([path], [])
        return text

    def around(self, own: ProjectText, depth: int) -> list[ProjectText]:
        """Return the files around a file, which is the first one; `depth` counts the packages that it is in."""
        found, left = [own], _MOST_BYTES - len(own.text)
        for path in self._files(own.path, depth):
            text = self.text(path)
            left -= 0 if text is None else len(text.text)
            if left <= 0:
                break
            found += [] if text is None else [text]
        return found

    def _files(self, path: str, depth: int) -> Iterator[str]:
        folder = os.path.dirname(path)
        for _ in range(max(depth - 1, 0)):
            folder = os.path.dirname(folder)
        count = 0
        for place, below, names in os.walk(folder):
            self._read.add([], [place])
            below[:] = sorted(name for name in below if depth and not name.startswith((".", "__pycache__")))
            for name in sorted(names):
                file = os.path.join(place, name)
                if name.endswith(".py") and file != path:
                    count += 1
                    if count > _MOST_FILES:
                        return
                    yield file


@lru_cache(maxsize=_TEXTS)
def _read(path: str, _written: int, _size: int) -> ProjectText:
    return ProjectText(path, read_regular(Path(path)).decode(errors="replace"))
