"""Prose with blocks of Python: the rows of its program are the rows of the document."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterable, Iterator, Sequence

from hybridlint.project.documents.program import mark, parses, parts
from hybridlint.runtime.facts.records import record
from hybridlint.text.source import SourceError


@record(frozen=True, slots=True)
class CodeBlock:
    """The lines `start` to `stop` of a document, from 0, which are code indented by `indent`."""

    start: int
    stop: int
    indent: str = ""


#: Finds the blocks of Python in the lines of a document.
Find = Callable[[Sequence[str]], Iterable[CodeBlock]]


@record(slots=True)
class Prose:
    """The form of documents whose blocks `find` finds. See `documents.document.Form`."""

    SUFFIXES: Sequence[str]
    find: Find
    HAS_CELLS: bool = False

    def program(self, data: bytes) -> str:
        """Return the blocks that are Python by themselves, and a mark for every other line. Raises SourceError."""
        lines = _lines(data)
        code = dict(_code(lines, self.find))
        return "\n".join(code.get(row, mark(row)) for row in range(len(lines)))

    def whole(self, data: bytes, text: str) -> bytes:
        """Return the document with the blocks of a program. Raises ValueError if a mark is missing."""
        lines = _lines(data)
        indents = {block.start - 1: block.indent for block in self.find(lines)}
        code = dict(_code(lines, self.find))
        found = list(parts(text))
        if [part.number for part in found] != [row for row in range(len(lines)) if row not in code]:
            raise ValueError("the prose of the program is not that of the document")
        written: list[str] = []
        for part in found:
            indent = indents.get(part.number, "")
            written += [lines[part.number], *(indent + line if line.strip() else line for line in part.lines)]
        return "\n".join(written).encode("utf-8")


def _lines(data: bytes) -> list[str]:
    try:
        return data.decode("utf-8").split("\n")
    except UnicodeDecodeError as error:
        raise SourceError(f"cannot decode the file: {error}", row=data.count(b"\n", 0, error.start) + 1) from error


def _code(lines: Sequence[str], find: Find) -> Iterator[tuple[int, str]]:
    """Yield the rows of blocks that are Python, with their lines as they are without indentation."""
    for block in find(lines):
        inner = [line.removeprefix(block.indent) for line in lines[block.start : block.stop]]
        dedented = all(line.startswith(block.indent) or not line.strip() for line in lines[block.start : block.stop])
        if dedented and parses("\n".join(inner)):
            yield from zip(range(block.start, block.stop), inner, strict=True)


def common_indent(lines: Iterable[str]) -> str:
    """Return the indentation that all lines with text share."""
    text = "\n".join(line for line in lines if line.strip())
    dedented = textwrap.dedent(text)
    return text[: len(text.partition("\n")[0]) - len(dedented.partition("\n")[0])]
