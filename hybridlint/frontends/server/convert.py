"""Findings in the terms of the Language Server Protocol, with columns in the units that the client counts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types
from pygls import uris
from pygls.workspace import PositionCodec

from hybridlint.runtime.facts.records import record

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic, Note, SourceLocation
    from hybridlint.core.result import Result

SOURCE = "hybridlint"

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "possible": types.DiagnosticSeverity.Hint,
}


@record(frozen=True, slots=True)
class Text:
    """The text of an open document, and how its client counts columns."""

    uri: str
    lines: Sequence[str]
    codec: PositionCodec

    def span(self, start: SourceLocation, end: SourceLocation) -> types.Range:
        """Return the range between two places, which count characters from 1."""
        return self.codec.range_to_client_units(self.lines, types.Range(_position(start), _position(end)))

    @property
    def whole(self) -> types.Range:
        """The range of all of the text."""
        last = len(self.lines)
        end = types.Position(last, 0)
        if self.lines and not self.lines[-1].endswith(("\n", "\r")):
            end = types.Position(last - 1, len(self.lines[-1]))
        return self.codec.range_to_client_units(self.lines, types.Range(types.Position(0, 0), end))


def diagnostic(found: Diagnostic, text: Text) -> types.Diagnostic:
    """Return a finding as the protocol has it."""
    return types.Diagnostic(
        range=text.span(found.location, found.end_location),
        message=f"{found.message}\n{found.help}" if found.help else found.message,
        severity=_SEVERITIES[found.severity],
        code=found.code,
        code_description=types.CodeDescription(found.url),
        source=SOURCE,
        related_information=[_related(note, text) for note in found.notes],
    )


def at(result: Result, text: Text, wanted: types.Range) -> Iterator[Diagnostic]:
    """Yield the findings that a range of the client touches."""
    for found in result.diagnostics:
        span = text.span(found.location, found.end_location)
        if _key(span.start) <= _key(wanted.end) and _key(wanted.start) <= _key(span.end):
            yield found


def innermost(result: Result, text: Text, position: types.Position) -> Diagnostic | None:
    """Return the finding of the least code at a position, None if there is none."""

    def extent(found: Diagnostic) -> tuple[int, int]:
        start, end = found.location, found.end_location
        return end.row - start.row, end.column - start.column

    return min(at(result, text, types.Range(position, position)), key=extent, default=None)


def _related(note: Note, text: Text) -> types.DiagnosticRelatedInformation:
    uri = text.uri if note.filename is None else uris.from_fs_path(str(Path(note.filename).resolve())) or text.uri
    # The lines of another file are not at hand: its columns are told as they are.
    span = (
        text.span(note.location, note.end_location)
        if note.filename is None
        else types.Range(_position(note.location), _position(note.end_location))
    )
    return types.DiagnosticRelatedInformation(types.Location(uri, span), note.message)


def _position(place: SourceLocation) -> types.Position:
    return types.Position(place.row - 1, place.column - 1)


def _key(place: types.Position) -> tuple[int, int]:
    return place.line, place.character
