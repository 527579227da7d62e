"""Diagnostics: findings with resolved positions, independent of syntax trees, ready to be reported.

Rows and columns count from 1, columns in characters; ends are exclusive. Diagnostics are sent between processes and
cached as plain data (`to_json`, `from_json`), in the shape of Ruff's JSON output.
"""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.facts.records import record
from hybridlint.text.edits import Applicability, Edit, Fix, FixKind, level_of
from hybridlint.text.imports import with_imports
from hybridlint.text.source import SourceError, Span

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import CallSite
    from hybridlint.rule import CalleeFinding, Finding
    from hybridlint.text.source import SourceFile

#: A line break in code that a message quotes; messages are shown on one line.
_BREAK = re.compile(r"\s*\\?\n\s*")


@record(frozen=True, slots=True, order=True)
class SourceLocation:
    """A place in a file."""

    row: int
    column: int

    def to_json(self) -> dict[str, int]:
        """Return the location as JSON data."""
        return {"row": self.row, "column": self.column}

    @classmethod
    def from_json(cls, data: Mapping[str, int]) -> SourceLocation:
        """Read what `to_json` wrote."""
        return cls(data["row"], data["column"])


@record(frozen=True, slots=True)
class Replacement:
    """One edit of a fix: the text from `location` to `end_location` is replaced by `content`."""

    content: str
    location: SourceLocation
    end_location: SourceLocation


@record(frozen=True, slots=True)
class Suggestion:
    """A fix as shown in a report."""

    message: str
    applicability: Applicability
    edits: tuple[Replacement, ...]
    kind: FixKind = FixKind.REPAIR

    @property
    def level(self) -> str:
        """The option that applies the fix: "safe", "unsafe" or "keep-eager"; "display" if none does."""
        return level_of(self.kind, self.applicability)


@record(frozen=True, slots=True)
class Note:
    """Another place that explains a diagnostic. Without a `filename` it is in the same file."""

    message: str
    location: SourceLocation
    end_location: SourceLocation
    filename: str | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the note as JSON data."""
        named = {} if self.filename is None else {"filename": self.filename}
        return {"message": self.message, **_ends(self), **named}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Note:
        """Read what `to_json` wrote."""
        return cls(data["message"], *_read_ends(data), data.get("filename"))


@record(frozen=True, slots=True)
class CalleePlace:
    """Where a finding happens in a function of another file, with the calls that lead there as notes.

    `lines` is the text of its lines, without indentation.
    """

    filename: str
    message: str
    location: SourceLocation
    end_location: SourceLocation
    noqa_row: int
    lines: str
    notes: tuple[Note, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Return the place as JSON data."""
        plain = {"filename": self.filename, "message": self.message, "noqa_row": self.noqa_row, "lines": self.lines}
        return {**plain, **_ends(self), "notes": [note.to_json() for note in self.notes]}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> CalleePlace:
        """Read what `to_json` wrote."""
        ends, notes = _read_ends(data), tuple(map(Note.from_json, data["notes"]))
        return cls(data["filename"], data["message"], *ends, data["noqa_row"], data["lines"], notes)


@record(frozen=True, slots=True)
class Diagnostic:
    """A finding with its position. `noqa_row` is the row at whose end a comment suppresses it."""

    code: str
    name: str
    severity: str
    message: str
    location: SourceLocation
    end_location: SourceLocation
    noqa_row: int
    url: str
    fix: Suggestion | None = None
    help: str | None = None
    notes: tuple[Note, ...] = ()
    #: The number of the notebook's cell that the places refer to, once they are told as a reader knows them.
    cell: int | None = None
    #: Where the finding happens, if that is in another file, which the place of the diagnostic calls.
    callee: CalleePlace | None = None

    def fixable(self, *, unsafe: bool, keep_eager: bool = False) -> bool:
        """Return whether ``--fix`` would apply the fix, with ``--unsafe-fixes`` and ``--keep-eager`` or without."""
        return self.fix is not None and is_permitted(self.fix, unsafe=unsafe, keep_eager=keep_eager)

    @property
    def of_whole_file(self) -> bool:
        """Whether it says that the file as a whole is wrong, which can neither be lived with nor be silenced."""
        return self.code.startswith("HYB0")

    @property
    def hidden_fix(self) -> bool:
        """Whether there is a fix that only ``--unsafe-fixes`` applies."""
        return self.fixable(unsafe=True) and not self.fixable(unsafe=False)

    @property
    def may_stay_eager(self) -> bool:
        """Whether the only answer known is to keep a class eager, which ``--keep-eager`` does."""
        return self.fixable(unsafe=True, keep_eager=True) and not self.fixable(unsafe=True)

    def to_json(self) -> dict[str, Any]:
        """Return the diagnostic as JSON data, without a file name."""
        return {
            "code": self.code,
            "name": self.name,
            "severity": self.severity,
            "message": self.message,
            "location": self.location.to_json(),
            "end_location": self.end_location.to_json(),
            "fix": None if self.fix is None else _suggestion_to_json(self.fix),
            "url": self.url,
            "noqa_row": self.noqa_row,
            "help": self.help,
            "notes": [note.to_json() for note in self.notes],
            "callee": None if self.callee is None else self.callee.to_json(),
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Diagnostic:
        """Read what `to_json` wrote."""
        return cls(
            code=data["code"],
            name=data["name"],
            severity=data["severity"],
            message=data["message"],
            location=SourceLocation.from_json(data["location"]),
            end_location=SourceLocation.from_json(data["end_location"]),
            noqa_row=data["noqa_row"],
            url=data["url"],
            fix=None if data["fix"] is None else _suggestion_from_json(data["fix"]),
            help=data["help"],
            notes=tuple(map(Note.from_json, data["notes"])),
            callee=None if data["callee"] is None else CalleePlace.from_json(data["callee"]),
        )


def is_permitted(fix: Fix | Suggestion, *, unsafe: bool, keep_eager: bool = False) -> bool:
    """Return whether a fix may be applied. One that keeps a class eager needs `keep_eager` as well."""
    if fix.kind is FixKind.KEEP_EAGER and not keep_eager:
        return False
    return fix.applicability is Applicability.SAFE or (unsafe and fix.applicability is Applicability.UNSAFE)


def diagnose(finding: Finding, source: SourceFile, noqa_row: int) -> Diagnostic:
    """Turn a finding into a diagnostic by resolving its positions."""
    location, end_location = place(source, finding_span(finding, source))
    return Diagnostic(
        code=finding.rule.code,
        name=finding.rule.name,
        severity=finding.severity.value,
        message=_BREAK.sub(" ", finding.message),
        location=location,
        end_location=end_location,
        noqa_row=noqa_row,
        url=finding.rule.url,
        fix=None if finding.fix is None else _suggestion(finding.fix, source),
        help=finding.help,
        notes=tuple(_notes(finding, source)),
        callee=None if finding.callee is None else _callee_place(finding.callee),
    )


def _notes(finding: Finding, source: SourceFile) -> Iterator[Note]:
    """Yield the places that explain a finding: those the rule names, then the calls that lead there."""
    for node, text in finding.notes:
        yield Note(text, *place(source, source.span(node)))
    yield from _call_notes(finding.calls, source)
    if finding.callee is not None:
        other = finding.callee.source
        yield Note("it happens here", *place(other, other.span(finding.callee.node)), str(other.path))


def _callee_place(callee: CalleeFinding) -> CalleePlace:
    from hybridlint.text.comment_rows import noqa_row

    source = callee.source
    start, end = place(source, source.span(callee.node))
    return CalleePlace(
        os.path.realpath(source.path),
        _BREAK.sub(" ", callee.message),
        start,
        end,
        noqa_row(source, start.row),
        stripped_lines(source, start.row, end.row),
        tuple(_call_notes(callee.calls, source)),
    )


def stripped_lines(source: SourceFile, first: int, last: int) -> str:
    """Return the text of some rows of a file, without indentation."""
    return "\n".join(source.line(row).strip() for row in range(first, min(last, len(source.line_starts)) + 1))


def _call_notes(calls: Iterable[CallSite], source: SourceFile) -> Iterator[Note]:
    """Yield a note for each call; those in `source` have no file name."""
    for site in calls:
        filename = None if site.source is source else os.path.realpath(site.source.path)
        yield Note(f"called here, in `{site.caller}`", *place(site.source, site.source.span(site.node)), filename)


def finding_span(finding: Finding, source: SourceFile) -> Span:
    """Return the span to underline: the name of a class or function, the whole of any other node."""
    node = finding.node
    span = source.span(node)
    if not isinstance(node, ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
        return span
    start = source.text.find(node.name, span.start, span.end)
    return span if start < 0 else Span(start, start + len(node.name))


def place(source: SourceFile, span: Span) -> tuple[SourceLocation, SourceLocation]:
    """Return the start and end locations of a span."""
    return SourceLocation(*source.location(span.start)), SourceLocation(*source.location(span.end))


def edits_of(suggestion: Suggestion, source: SourceFile) -> tuple[Edit, ...]:
    """Convert the edits of a reported fix back to spans of the text."""

    def offset(location: SourceLocation) -> int:
        return source.line_starts[location.row - 1] + location.column - 1

    return tuple(Edit(Span(offset(e.location), offset(e.end_location)), e.content) for e in suggestion.edits)


def _suggestion(fix: Fix, source: SourceFile) -> Suggestion:
    applicability = fix.applicability
    try:
        whole = with_imports(source, [fix])
    except SourceError:
        # The imports it needs cannot be added: the fix is shown but not applied.
        whole, applicability = list(fix.edits), Applicability.DISPLAY
    edits = tuple(Replacement(edit.content, *place(source, edit.span)) for edit in whole)
    return Suggestion(fix.message, applicability, edits, fix.kind)


def _suggestion_to_json(fix: Suggestion) -> dict[str, Any]:
    return {
        "applicability": fix.applicability.value,
        "kind": fix.kind.value,
        "message": fix.message,
        "edits": [{"content": edit.content, **_ends(edit)} for edit in fix.edits],
    }


def _suggestion_from_json(data: Mapping[str, Any]) -> Suggestion:
    edits = tuple(Replacement(edit["content"], *_read_ends(edit)) for edit in data["edits"])
    return Suggestion(data["message"], Applicability(data["applicability"]), edits, FixKind(data["kind"]))


def _ends(item: Replacement | Note | CalleePlace) -> dict[str, dict[str, int]]:
    return {"location": item.location.to_json(), "end_location": item.end_location.to_json()}


def _read_ends(data: Mapping[str, Any]) -> tuple[SourceLocation, SourceLocation]:
    return SourceLocation.from_json(data["location"]), SourceLocation.from_json(data["end_location"])
