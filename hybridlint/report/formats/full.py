"""The format for people: each finding with its source underlined, advice, and the fix as a patch."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from click import style

from hybridlint.report.patch import PatchLine, patch
from hybridlint.report.style import code_and_mark, colour, show_file, show_path
from hybridlint.text.edits import Applicability
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.diagnostic import Diagnostic, Location, Note
    from hybridlint.report.manner import Manner
    from hybridlint.result import Result

_CONTEXT = 2
_LONGEST = 6
_TAB = "    "

FOR_PROGRAMS = False


def render(results: Sequence[Result], manner: Manner) -> str:
    """Return all findings, each a block of lines followed by an empty line."""
    blocks: list[str] = []
    for result in results:
        source = SourceFile(result.path, result.text)
        blocks += (
            "\n".join(_block(diagnostic, source, show_file(result), manner)) + "\n\n"
            for diagnostic in result.diagnostics
        )
    return "".join(blocks)


def _block(diagnostic: Diagnostic, source: SourceFile, name: str, manner: Manner) -> Iterator[str]:
    refused = diagnostic.may_stay_eager and not manner.keep_eager
    fix = None if refused else diagnostic.fix
    changes = list(patch(fix, source)) if fix else []
    rows = [note.location.row for note in diagnostic.notes if note.filename is None]
    last = max([_last_row(diagnostic, source), *(line.number for line in changes), *rows])
    gutter = " " * len(str(last))
    place = diagnostic.location
    yield f"{code_and_mark(diagnostic, manner)} {style(diagnostic.message, bold=True)}"
    yield f"{gutter}{_blue('-->')} {name}:{place.row}:{place.column}"
    yield f"{gutter} {_blue('|')}"
    yield from _frame(diagnostic, source, len(gutter))
    yield f"{gutter} {_blue('|')}"
    for note in diagnostic.notes:
        yield from _note(note, source, len(gutter))
    if diagnostic.help:
        yield f"{style('help', fg='cyan', bold=True)}: {diagnostic.help}"
    if refused and diagnostic.fix:
        message = diagnostic.fix.message
        yield f"{style('note', bold=True)}: `--keep-eager` would {message[0].lower()}{message[1:]}"
    if fix:
        yield f"{style('fix', fg='cyan', bold=True)}: {fix.message}"
        yield from _changes(changes, len(gutter))
        if fix.applicability is Applicability.UNSAFE:
            yield f"{style('note', bold=True)}: this fix is unsafe: it may change what the program does"


def _note(note: Note, source: SourceFile, width: int) -> Iterator[str]:
    """Format a note: its message and, if it is in the same file, its first line underlined."""
    row = note.location.row
    where = f"line {row}" if note.filename is None else f"{show_path(Path(note.filename))}:{row}:{note.location.column}"
    yield f"{style('note', bold=True)}: {where}: {note.message}"
    if note.filename is None:
        line = source.line(row)
        yield f"{_blue(f'{row:>{width}} |')} {line.replace(chr(9), _TAB)}".rstrip()
        yield f"{' ' * width} {_blue('|')} {_blue(_underline(line, row, note.location, note.end_location))}"


def _frame(diagnostic: Diagnostic, source: SourceFile, width: int) -> Iterator[str]:
    """Format the lines around a finding, with the finding underlined."""
    first = diagnostic.location.row
    last = min(_end_row(diagnostic), first + _LONGEST - 1, len(source.line_starts))
    rows = list(range(max(1, first - _CONTEXT), _last_row(diagnostic, source) + 1))
    while rows and rows[0] < first and not source.line(rows[0]).strip():
        del rows[0]
    while rows and rows[-1] > last and not source.line(rows[-1]).strip():
        del rows[-1]
    for row in rows:
        line = source.line(row)
        yield f"{_blue(f'{row:>{width}} |')} {line.replace(chr(9), _TAB)}".rstrip()
        if first <= row <= last:
            marks = _underline(line, row, diagnostic.location, diagnostic.end_location)
            yield f"{' ' * width} {_blue('|')} {style(marks, fg=colour(diagnostic), bold=True)}"


def _underline(line: str, row: int, start: Location, end: Location) -> str:
    indent = len(line) - len(line.lstrip())
    begin = start.column - 1 if row == start.row else indent
    stop = end.column - 1 if row == end.row else len(line)
    return " " * _columns(line[:begin]) + "^" * max(1, _columns(line[begin:stop]))


def _columns(text: str) -> int:
    """Return the width of a text on a terminal, in columns."""
    if text.isascii():
        return len(text) + text.count("\t") * (len(_TAB) - 1)
    return sum(_width(char) for char in text)


def _width(char: str) -> int:
    if char == "\t":
        return len(_TAB)
    if unicodedata.combining(char):
        return 0
    return 2 if unicodedata.east_asian_width(char) in "WF" else 1


def _end_row(diagnostic: Diagnostic) -> int:
    start, end = diagnostic.location, diagnostic.end_location
    return end.row - 1 if end.column == 1 and end.row > start.row else end.row


def _last_row(diagnostic: Diagnostic, source: SourceFile) -> int:
    last = min(_end_row(diagnostic), diagnostic.location.row + _LONGEST - 1)
    return min(last + _CONTEXT, len(source.line_starts))


def _changes(lines: list[PatchLine], width: int) -> Iterator[str]:
    colours = {"-": "red", "+": "green", " ": None}
    yield f"{' ' * width} {_blue('|')}"
    for line in lines:
        number = _blue(f"{line.number:>{width}} ")
        yield number + style(f"{line.mark} {line.text.replace(chr(9), _TAB)}".rstrip(), fg=colours[line.mark])
    yield f"{' ' * width} {_blue('|')}"


def _blue(text: str) -> str:
    return style(text, fg="blue", bold=True)
