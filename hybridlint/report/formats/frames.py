"""The format for people: the findings of one statement share one frame, in which their fixes are shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from click import style

from hybridlint.core.diagnostic import edits_of
from hybridlint.report.patch import patch
from hybridlint.report.snippet import LONGEST, blue, end_row, show_line, underline
from hybridlint.report.style import colour, heading, show_file, show_path
from hybridlint.runtime.facts.records import record
from hybridlint.text.comments import logical_lines
from hybridlint.text.edits import REPLACE, apply_edits
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic, Note, Replacement, Suggestion
    from hybridlint.core.result import Result
    from hybridlint.report.report_options import ReportOptions
    from hybridlint.text.edits import Edit

#: Lines of a picture for the first finding of a statement, and for each further one.
_LINES, _LINES_MORE = 5, 2
#: Calls and other places that are named below a frame.
_NOTES = 2
_COLOURS = {"-": "red", "+": "green"}

FOR_PROGRAMS = False


def render(results: Sequence[Result], manner: ReportOptions) -> str:
    """Return all findings: a frame for each statement, followed by an empty line."""
    return "".join(
        "\n".join(line.rstrip() for line in frame.lines()) + "\n\n"
        for result in results
        if result.diagnostics
        for frame in _frames(result, manner)
    )


def _frames(result: Result, manner: ReportOptions) -> Iterator[_StatementFindings]:
    """Yield a frame for each statement with findings. The change of a fix is part of the first frame that has it."""
    source, name = SourceFile(result.path, result.text), show_file(result)
    heads = {row: rows.start for rows in logical_lines(result.text) for row in rows}
    pictured: dict[tuple[Replacement, ...], int] = {}

    def head(found: Diagnostic) -> int:
        return heads.get(found.location.row, found.location.row)

    for row, found in groupby(result.diagnostics, head):
        frame = _StatementFindings(
            tuple(found), row=row, source=source, name=name, manner=manner, pictured=dict(pictured)
        )
        yield frame
        for fix in frame.fixes:
            pictured.setdefault(fix.edits, row)


@record(frozen=True, slots=True)
class _PictureLine:
    """A line of a picture, behind the row of the source that `order` starts with. `mark` is ``-``, ``+`` or ``|``."""

    order: tuple[int, int]
    mark: str
    number: str
    text: str


class _StatementFindings:
    """The findings of one statement. `pictured` has the rows of frames above that show a fix already."""

    def __init__(
        self,
        found: tuple[Diagnostic, ...],
        *,
        row: int,
        source: SourceFile,
        name: str,
        manner: ReportOptions,
        pictured: dict[tuple[Replacement, ...], int],
    ) -> None:
        self.row = row
        self.found = found
        self.source = source
        self.name = name
        self.manner = manner
        self.pictured = pictured

    @cached_property
    def fixes(self) -> list[Suggestion]:
        """The fixes that the picture shows: fixes that no earlier frame shows, without overlapping ones."""
        chosen: list[Suggestion] = []
        for found in self.found:
            fix = self._fix_of(found)
            if fix is not None and fix.edits not in self.pictured and self._fit([*chosen, fix]):
                chosen.append(fix)
        return chosen

    def lines(self) -> Iterator[str]:
        """Yield the lines: place, rule and message of each finding, the picture, and the sentences below it."""
        for found in self.found:
            place = f"{self.name}:{found.location.row}:{found.location.column}:"
            yield f"{place} {heading(found, self.manner)} {style(found.message, bold=True)}"
        picture = self._picture()
        width = max((len(line.number) for line in picture), default=0)
        limit = _LINES + _LINES_MORE * (len(self.found) - 1)
        # One line that says that one line is missing would be no shorter.
        cut = len(picture) > limit + 1
        yield from (_drawn(line, width) for line in (picture[:limit] if cut else picture))
        gutter = f"{' ' * width} {blue('=')}"
        if cut:
            yield f"{gutter} {len(picture) - limit} lines more: `--diff` shows a fix whole"
        yield from (f"{gutter} {sentence}" for sentence in self._sentences())

    def _fix_of(self, found: Diagnostic) -> Suggestion | None:
        return None if found.may_stay_eager and not self.manner.keep_eager else found.fix

    def _fit(self, fixes: list[Suggestion]) -> bool:
        try:
            apply_edits(self.source.text, self._edits(fixes))
        except ValueError:
            return False
        return True

    def _edits(self, fixes: list[Suggestion]) -> tuple[Edit, ...]:
        return tuple(dict.fromkeys(edit for fix in fixes for edit in edits_of(fix, self.source)))

    def _picture(self) -> list[_PictureLine]:
        changed = list(self._changed())
        removed = {line.order[0] for line in changed if line.mark == "-"}
        rows = {row for found in self.found for row in self._rows(found)} - removed
        plain = [_PictureLine((row, 0), "|", str(row), self.source.line(row)) for row in rows]
        return sorted([*changed, *plain, *self._marks()], key=lambda line: line.order)

    def _changed(self) -> Iterator[_PictureLine]:
        """Yield the lines that fixes remove, and after them the lines that fixes write in exchange."""
        row = 0
        for line in patch(self._edits(self.fixes), self.source) if self.fixes else ():
            if line.mark != "+":
                row = line.number
            if line.mark != " ":
                yield _PictureLine((row, 2 if line.mark == "+" else 0), line.mark, str(line.number), line.text)

    def _marks(self) -> Iterator[_PictureLine]:
        """Yield the marks below findings, with their codes where the frame has several."""
        below: dict[tuple[int, str], list[Diagnostic]] = {}
        for found in self.found:
            for row in self._rows(found):
                marks = underline(self.source.line(row), row, found.location, found.end_location)
                below.setdefault((row, marks), []).append(found)
        for (row, marks), those in below.items():
            codes = " " + ", ".join(dict.fromkeys(each.code for each in those)) if len(self.found) > 1 else ""
            yield _PictureLine((row, 1), "|", "", style(f"{marks}{codes}", fg=colour(those[0]), bold=True))

    def _rows(self, found: Diagnostic) -> range:
        first = found.location.row
        return range(first, min(end_row(found), first + LONGEST - 1, len(self.source.line_starts)) + 1)

    def _sentences(self) -> Iterator[str]:
        """Yield the sentences below the picture, each once: about fixes, advice, and calls that lead there."""
        codes: dict[tuple[str, str], list[str]] = {}
        for found in self.found:
            for sentence in self._advice(found):
                codes.setdefault(sentence, []).append(found.code)
        for (word, text), of in codes.items():
            whose = "" if len(of) == len(self.found) else f" {', '.join(dict.fromkeys(of))}"
            yield f"{style(word, fg='cyan', bold=True)}{whose}: {text}"
        places = list(dict.fromkeys(map(self._place, (note for found in self.found for note in found.notes))))
        yield from (f"{style('note', bold=True)}: {place}" for place in places[:_NOTES])
        if len(places) > _NOTES:
            yield f"{style('note', bold=True)}: {len(places) - _NOTES} more places: `--output-format full` shows them"

    def _advice(self, found: Diagnostic) -> Iterator[tuple[str, str]]:
        fix = self._fix_of(found)
        if fix is not None:
            word = {"safe": "fix", "display": "suggestion"}.get(fix.level, f"{fix.level} fix")
            row = self.pictured.get(fix.edits)
            yield word, self._what_it_does(fix) if row is None else f"the change at line {row} settles this too"
            return
        if found.help:
            yield "help", found.help
        if found.fix is not None:
            yield "note", f"`--keep-eager` would {found.fix.message[0].lower()}{found.fix.message[1:]}"

    def _what_it_does(self, fix: Suggestion) -> str:
        """Return the message of a fix, unless it only repeats code that the picture shows."""
        return "as shown" if fix in self.fixes and fix.message.startswith(REPLACE) else fix.message

    def _place(self, note: Note) -> str:
        row = note.location.row
        if note.filename is None:
            return f"line {row}: {note.message}"
        return f"{show_path(Path(note.filename))}:{row}:{note.location.column}: {note.message}"


def _drawn(line: _PictureLine, width: int) -> str:
    gutter = blue(f"{line.number:>{width}}")
    if line.mark == "|":
        return f"{gutter} {blue('|')} {show_line(line.text)}"
    return f"{gutter} {style(f'{line.mark} {show_line(line.text)}'.rstrip(), fg=_COLOURS[line.mark])}"
