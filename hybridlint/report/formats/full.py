"""The long format for people: each finding with the lines around it, its advice, and its fix as a patch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from click import style

from hybridlint.core.diagnostic import edits_of
from hybridlint.report.patch import PatchLine, patch
from hybridlint.report.snippet import LONGEST, blue, end_row, show_line, underline
from hybridlint.report.style import colour, heading, show_file, show_path
from hybridlint.text.edits import Applicability
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic, Note
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions

_CONTEXT = 2

FOR_PROGRAMS = False


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings, each a block of lines followed by an empty line."""
    blocks: list[str] = []
    for result in results:
        source = SourceFile(result.path, result.text)
        blocks += (
            "\n".join(_block(diagnostic, source, show_file(result), manner)) + "\n\n"
            for diagnostic in result.diagnostics
        )
    return "".join(blocks)


def _block(diagnostic: Diagnostic, source: SourceFile, name: str, manner: ReportOptions) -> Iterator[str]:
    refused = diagnostic.may_stay_eager and not manner.keep_eager
    fix = None if refused else diagnostic.fix
    changes = list(patch(edits_of(fix, source), source)) if fix else []
    rows = [note.location.row for note in diagnostic.notes if note.filename is None]
    last = max([_last_row(diagnostic, source), *(line.number for line in changes), *rows])
    gutter = " " * len(str(last))
    place = diagnostic.location
    yield f"{heading(diagnostic, manner)} {style(diagnostic.message, bold=True)}"
    yield f"{gutter}{blue('-->')} {name}:{place.row}:{place.column}"
    yield f"{gutter} {blue('|')}"
    yield from _frame(diagnostic, source, len(gutter))
    yield f"{gutter} {blue('|')}"
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
        yield f"{blue(f'{row:>{width}} |')} {show_line(line)}".rstrip()
        yield f"{' ' * width} {blue('|')} {blue(underline(line, row, note.location, note.end_location))}"


def _frame(diagnostic: Diagnostic, source: SourceFile, width: int) -> Iterator[str]:
    """Format the lines around a finding, with the finding underlined."""
    first = diagnostic.location.row
    last = min(end_row(diagnostic), first + LONGEST - 1, len(source.line_starts))
    rows = list(range(max(1, first - _CONTEXT), _last_row(diagnostic, source) + 1))
    while rows and rows[0] < first and not source.line(rows[0]).strip():
        del rows[0]
    while rows and rows[-1] > last and not source.line(rows[-1]).strip():
        del rows[-1]
    for row in rows:
        line = source.line(row)
        yield f"{blue(f'{row:>{width}} |')} {show_line(line)}".rstrip()
        if first <= row <= last:
            marks = underline(line, row, diagnostic.location, diagnostic.end_location)
            yield f"{' ' * width} {blue('|')} {style(marks, fg=colour(diagnostic), bold=True)}"


def _last_row(diagnostic: Diagnostic, source: SourceFile) -> int:
    last = min(end_row(diagnostic), diagnostic.location.row + LONGEST - 1)
    return min(last + _CONTEXT, len(source.line_starts))


def _changes(lines: list[PatchLine], width: int) -> Iterator[str]:
    colours = {"-": "red", "+": "green", " ": None}
    yield f"{' ' * width} {blue('|')}"
    for line in lines:
        number = blue(f"{line.number:>{width}} ")
        yield number + style(f"{line.mark} {show_line(line.text)}".rstrip(), fg=colours[line.mark])
    yield f"{' ' * width} {blue('|')}"
