"""The program that a document's code makes, with a comment where each part that is no code of it stood.

A document is read as one Python program: names of one part are known in the next. What is not Python stands in it as a
comment that names it, so that the document can be put together again after lines were added or taken away.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hybridlint.runtime.facts.records import record
from hybridlint.text.syntax import parse_text

_MARK = re.compile(r"# \[hybridlint (\d+)\]")
#: A line of IPython: a magic, a command of the shell, what either gives, or a question.
_IPYTHON = re.compile(r"(\s*)(?:[%!?].*|[\w.]+\s*=\s*[%!].*|.*\?)")
_HIDDEN = "pass  # [hybridlint] "
_CELL_MAGIC = re.compile(r"%%(\w+)")
#: Magics of a cell whose text is Python.
_OF_PYTHON = frozenset({"capture", "prun", "time", "timeit", "tab"})


@record(frozen=True, slots=True)
class ProgramPart:
    """The lines of a program after a mark: the mark's number, the row of the first line, and the lines."""

    number: int
    row: int
    lines: tuple[str, ...]


def mark(number: int) -> str:
    """Return the comment that replaces text other than code."""
    return f"# [hybridlint {number}]"


def parts(program: str) -> Iterator[ProgramPart]:
    """Yield the parts of a program, in order. Lines above the first mark belong to the part behind it."""
    number, row, lines, above = -1, 1, list[str](), list[str]()
    for at, line in enumerate(program.split("\n"), 1):
        found = _MARK.fullmatch(line)
        if found is None:
            (above if number < 0 else lines).append(line)
            continue
        if number >= 0:
            yield ProgramPart(number, row, tuple(lines))
        lines, above = above, []
        number, row = int(found[1]), at + 1 - len(lines)
    if number >= 0:
        yield ProgramPart(number, row, tuple(lines))


def parses(code: str) -> bool:
    """Whether text is Python by itself."""
    try:
        parse_text(code)
    except SyntaxError:
        return False
    return True


def hide_magics(lines: Sequence[str]) -> list[str]:
    """Return the lines of a cell with IPython's lines as comments; all lines if its magic is no Python."""
    magic = _CELL_MAGIC.match(next((line for line in lines if line.strip()), ""))
    if magic and magic[1] not in _OF_PYTHON:
        return [f"{_HIDDEN}{line}" for line in lines]
    if parses("\n".join(lines)):
        return list(lines)
    return [_hidden(line) for line in lines]


def show_magics(lines: Sequence[str]) -> list[str]:
    """Return lines as they were before `hide_magics`."""
    return [line.replace(_HIDDEN, "", 1) if line.lstrip().startswith(_HIDDEN) else line for line in lines]


def _hidden(line: str) -> str:
    found = _IPYTHON.fullmatch(line)
    return line if found is None else f"{found[1]}{_HIDDEN}{line[len(found[1]) :]}"
