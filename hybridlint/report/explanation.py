"""The explanation of an error as a text: its meaning, its place, the advice, and the matching finding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.core.mxnet_message import Message
from hybridlint.core.result import Result
from hybridlint.explain.causes import ErrorExplanation, NodeOrigin, local_file
from hybridlint.explain.phases import phase_of
from hybridlint.explain.program_classes import line_of
from hybridlint.explain.traceback_info import RaisedError, TracebackFrame
from hybridlint.report import formats
from hybridlint.report.report_options import ReportOptions
from hybridlint.report.style import show_path
from hybridlint.rule import find_rule

#: Most characters of a message that are repeated.
_LONGEST = 160


def write_explanation(
    explanation: ErrorExplanation, chain: Sequence[RaisedError], files: Sequence[Path]
) -> Iterator[str]:
    """Yield the explanation of an error, section by section."""
    yield from _message(explanation, chain)
    places = list(_places(explanation.error, files))
    if explanation.origin is not None:
        places.extend(_origin_lines(explanation.origin))
    if places:
        yield _title("where") + "\n".join(places) + "\n\n"
    yield from _cause(explanation)


def _message(explanation: ErrorExplanation, chain: Sequence[RaisedError]) -> Iterator[str]:
    error, reading = explanation.error, explanation.reading
    if error is not chain[-1] and chain[-1].message:
        yield f"{_title('message')}{_first_line(error)}\n"
        yield f"It was raised before `{_first_line(chain[-1])}`, which ends the traceback.\n\n"
    if reading is not None:
        yield f"{_title('meaning')}{reading.meaning}\n\n{_title('remedy')}{reading.remedy}\n\n"
        return
    yield f"{_title('message')}{_first_line(error)}\n"
    yield "This is no message of MXNet's that hybridlint knows.\n\n"
    phase = phase_of(error)
    if phase is not None:
        yield f"{_title('frames')}{phase}\n\n"


def _first_line(error: RaisedError) -> str:
    line = error.message.partition("\n")[0].strip()
    return line if len(line) <= _LONGEST else f"{line[:_LONGEST]}..."


def _places(error: RaisedError, files: Sequence[Path]) -> Iterator[str]:
    """Yield the innermost line of the user's code, and the line of hybrid_forward that leads there."""
    frames = list(reversed(error.user_frames))
    if not frames:
        return
    yield _place(frames[0], files)
    forward = next((frame for frame in frames if frame.function.rpartition(".")[2] == ENTRY), None)
    if forward is not None and forward is not frames[0]:
        yield _place(forward, files)


def _place(frame: TracebackFrame, files: Sequence[Path]) -> str:
    path = local_file(frame, files)
    name = show_path(path) if path is not None else frame.path.strip("<>")
    function = f", in {frame.function}" if frame.function else ""
    code = frame.code or (line_of(path, frame.row) if path is not None else "")
    return f"{name}:{frame.row}{function}" + (f"\n    {code}" if code else "")


def _origin_lines(origin: NodeOrigin) -> Iterator[str]:
    """Yield the lines that make the node of a message."""
    verb = "makes" if len(origin.rows) == 1 else "may make"
    for row in origin.rows:
        place = f"{show_path(origin.path)}:{row}, in {origin.class_name}, which {verb} `{origin.name}`"
        yield f"{place}\n    {line_of(origin.path, row)}"


def _cause(explanation: ErrorExplanation) -> Iterator[str]:
    cause, reading = explanation.cause, explanation.reading
    if cause is not None:
        yield f"{_title('cause')}{cause.where}\n\n{_findings(cause.result)}"
        codes = dict.fromkeys(each.code for each in cause.result.diagnostics)
        yield "".join(f"`hybridlint rule {code}` tells more.\n" for code in codes)
        return
    if explanation.unrelated is not None:
        yield "No finding at these lines fits the message.\n\n"
    if reading is not None and reading.message.rules:
        yield from _rules(reading.message)
    if explanation.unrelated is not None:
        yield f"{_title('perhaps unrelated')}what hybridlint finds at the line\n\n{_findings(explanation.unrelated)}"
    elif not explanation.is_explained:
        yield "No finding explains it: name the files of the program with `--in`, or run `hybridlint check` on them.\n"


def _rules(message: Message) -> Iterator[str]:
    """Yield the rules that find the cause of a message, where no finding has."""
    rest = ", among other causes" if message.says_all else ""
    yield f"{_title('rules')}`hybridlint check` finds the cause of such a message by these rules{rest}\n\n"
    for rule in (rule for code in message.rules if (rule := find_rule(code)) is not None):
        yield f"{rule.code} {rule.name}: {rule.summary}\n"
    yield "\n"


def _findings(result: Result) -> str:
    return formats.load("full").render([result], ReportOptions(unsafe=True))


def _title(word: str) -> str:
    return f"{click.style(word, bold=True)}: "
