"""The finding that explains an error: at a frame, in a graph node's class, or in the only place."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.mxnet_message import MessageOrigin, MessageReading
from hybridlint.core.mxnet_messages import read_message
from hybridlint.explain.program_classes import classes_named_by, definitions_in, holds_row, line_of, read_source_file
from hybridlint.explain.traceback_info import RaisedError, TracebackFrame
from hybridlint.fixing.statement_rows import in_one_statement
from hybridlint.project.documents.document import form_of
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.checking.pipeline import Pipeline
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result

_SEVERE = frozenset({"error", "warning"})
#: Most findings of a class, and most lines that may have made a node, that are shown.
_MOST = 3


@record(frozen=True, slots=True)
class ErrorCause:
    """Findings that explain an error, the likeliest first, and how they were found: ``in the class Net``."""

    where: str
    result: Result


@record(frozen=True, slots=True)
class NodeOrigin:
    """The rows of a class that may have created the graph node or layer parameter in a message."""

    name: str
    class_name: str
    path: Path
    rows: tuple[int, ...]


@record(frozen=True, slots=True)
class ErrorExplanation:
    """One exception of a traceback, with as much explanation as possible.

    `unrelated` are findings at the lines of the user's code that do not fit the message.
    """

    error: RaisedError
    reading: MessageReading | None = None
    cause: ErrorCause | None = None
    origin: NodeOrigin | None = None
    unrelated: Result | None = None

    @property
    def is_explained(self) -> bool:
        """Whether there is a finding that is the cause, or the message says all that there is to say."""
        return self.cause is not None or (self.reading is not None and self.reading.message.says_all)


def explain_error(chain: Sequence[RaisedError], pipeline: Pipeline, files: Sequence[Path]) -> ErrorExplanation:
    """Return the explanation of the last exception of a chain whose message is known, or else of the last one."""
    search = _CauseSearch(pipeline, files)
    for error in reversed(chain):
        reading = read_message(error.text)
        if reading is None:
            continue
        origin = search.find_origin(error)
        cause = search.find_cause(error, reading, origin)
        if cause is not None or reading.message.origin is not MessageOrigin.ANYWHERE:
            return ErrorExplanation(error, reading, cause, origin, None if cause else search.findings_at(error))
    return ErrorExplanation(chain[-1], unrelated=search.findings_at(chain[-1]))


def local_file(frame: TracebackFrame, files: Sequence[Path]) -> Path | None:
    """Return the file of a frame: as it is, or by its end, if the traceback is another machine's."""
    path = Path(os.path.expanduser(frame.path))
    if frame.is_library or frame.path.startswith("<"):
        return None
    if path.is_file() and form_of(path) is None:
        return path
    parts = re.split(r"[/\\]", frame.path)
    named = [file for file in files if file.name == parts[-1]]
    return max(named, key=lambda file: (_has_code(file, frame), _shared_parts(file, parts)), default=None)


@record(frozen=True, slots=True)
class _CauseSearch:
    pipeline: Pipeline
    files: Sequence[Path]

    def find_cause(self, error: RaisedError, reading: MessageReading, origin: NodeOrigin | None) -> ErrorCause | None:
        """Return the findings that explain an error whose message is known, None if there are none.

        First the frames are asked, innermost first, then the classes that the names of nodes and parameters tell, then
        all files, if only one class or function of them has findings that fit the message.
        """
        if not reading.rules:
            return None
        for path, frame in self._places(error):
            result = self._checked(path)
            fitting = [each for each in _fitting(result, reading) if _is_at(result, each, frame.row)]
            if fitting:
                return ErrorCause("at the traceback's line", _with_only(result, fitting[:1]))
        if reading.message.origin is MessageOrigin.ANYWHERE:
            return None
        return self._in_named_class(error, reading, origin) or self._in_only_place(error, reading)

    def findings_at(self, error: RaisedError) -> Result | None:
        """Return the findings at the innermost line of the user's code that has some."""
        for path, frame in self._places(error):
            result = self._checked(path)
            found = [
                each for each in result.diagnostics if each.severity in _SEVERE and _is_at(result, each, frame.row)
            ]
            if found:
                return _with_only(result, found)
        return None

    def find_origin(self, error: RaisedError) -> NodeOrigin | None:
        """Return the lines that made what the message names, None if that is unknown."""
        for name, owner in classes_named_by(error.names, self._paths(error)):
            rows = self.pipeline.rows_of_node(owner.source, owner.node.name, name[owner.position_in(name) :])
            if rows:
                return NodeOrigin(name, owner.node.name, owner.source.path, rows[:_MOST])
        return None

    def _places(self, error: RaisedError) -> Iterator[tuple[Path, TracebackFrame]]:
        for frame in reversed(error.user_frames):
            path = local_file(frame, self.files)
            if path is not None:
                yield path, frame

    def _paths(self, error: RaisedError) -> list[Path]:
        return list(dict.fromkeys([*(path for path, _ in self._places(error)), *self.files]))

    def _checked(self, path: Path) -> Result:
        (result,) = self.pipeline.of_files([path]).results
        return result

    def _in_named_class(
        self, error: RaisedError, reading: MessageReading, origin: NodeOrigin | None
    ) -> ErrorCause | None:
        for name, owner in classes_named_by(error.names, self._paths(error)):
            result = self._checked(owner.source.path)
            fitting = [each for each in _fitting(result, reading) if holds_row(owner.node, each.location.row)]
            if origin is not None and origin.path == result.path.absolute():
                at_node = [each for each in fitting if any(_is_at(result, each, row) for row in origin.rows)]
                fitting = at_node or fitting
            if fitting:
                return ErrorCause(f"in `{owner.node.name}`, which made `{name}`", _with_only(result, fitting[:_MOST]))
        return None

    def _in_only_place(self, error: RaisedError, reading: MessageReading) -> ErrorCause | None:
        """Return the findings that fit if one class or function of the program has all of them."""
        paths = self._paths(error)
        if classes_named_by(error.names, paths):
            return None
        found = [
            (node.name, result, inside)
            for result in self.pipeline.of_files(paths).results
            if (sure := [each for each in _fitting(result, reading) if each.severity != "possible"])
            for node in definitions_in(SourceFile(result.path, result.text))
            if (inside := [each for each in sure if holds_row(node, each.location.row)])
        ]
        if len(found) != 1:
            return None
        [(name, result, findings)] = found
        doubt = "perhaps " if reading.message.origin is MessageOrigin.PROGRAM else ""
        return ErrorCause(f"{doubt}in `{name}`", _with_only(result, findings[:_MOST]))


def _fitting(result: Result, reading: MessageReading) -> list[Diagnostic]:
    """Return the findings of a file whose rules cause the message, the likeliest first."""
    fitting = [each for each in result.diagnostics if each.code in reading.rules]
    if reading.code is not None and reading.message.origin is MessageOrigin.ANYWHERE:
        fitting = [each for each in fitting if _names_code(each, reading.code, result.text)]
    return sorted(fitting, key=lambda each: _likelihood(each, reading, result.text))


def _likelihood(diagnostic: Diagnostic, reading: MessageReading, text: str) -> tuple[bool, int, tuple[int, int]]:
    """Return the sort key of a finding: code that the message names, then the rule, then the order of evaluation.

    Python evaluates what ends first: operands before the call around them, and the left one before the right one.
    """
    names_code = reading.code is not None and _names_code(diagnostic, reading.code, text)
    end = diagnostic.end_location
    return not names_code, reading.rules.index(diagnostic.code), (end.row, end.column)


def _names_code(diagnostic: Diagnostic, code: str, text: str) -> bool:
    """Whether the code of a finding contains a name."""
    return re.search(rf"\b{re.escape(code)}\b", _underlined(diagnostic, text), re.IGNORECASE) is not None


def _underlined(diagnostic: Diagnostic, text: str) -> str:
    first, last = diagnostic.location, diagnostic.end_location
    lines = text.split("\n")[first.row - 1 : last.row]
    if not lines:
        return ""
    lines[-1] = lines[-1][: last.column - 1]
    return "\n".join([lines[0][first.column - 1 :], *lines[1:]])


def _is_at(result: Result, diagnostic: Diagnostic, row: int) -> bool:
    """Whether a finding is at a row, or in the same statement."""
    first, last = diagnostic.location.row, diagnostic.end_location.row
    if first <= row <= last:
        return True
    source = read_source_file(result.path)
    try:
        return source is not None and in_one_statement(source.tree, first, row)
    except SourceError:
        return False


def _with_only(result: Result, findings: Iterable[Diagnostic]) -> Result:
    return replace(result, diagnostics=tuple(findings))


def _has_code(file: Path, frame: TracebackFrame) -> bool:
    """Whether the row of a frame has the code that the traceback shows."""
    return bool(frame.code) and line_of(file, frame.row) == frame.code


def _shared_parts(file: Path, parts: Sequence[str]) -> int:
    """Return how many parts at the end two paths share."""
    pairs = zip(reversed(file.parts), reversed(parts), strict=False)
    return next((number for number, (a, b) in enumerate(pairs) if a != b), len(parts))
