"""Advice for a program that failed on the bundled runtime: the place in its own code, the rule and the fix."""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import hybridlint
from hybridlint.analysis.mxnet.classes import ENTRY

if TYPE_CHECKING:
    from hybridlint.diagnostic import Diagnostic
    from hybridlint.result import Result

#: Most findings of a class to list if none of its lines was running when the program failed.
MOST_NAMED = 3

_OURS = os.path.dirname(os.path.abspath(str(hybridlint.__file__)))
_LIBRARIES = tuple(dict.fromkeys(sysconfig.get_paths()[key] for key in ("stdlib", "purelib", "platlib")))


def trimmed(error: BaseException) -> BaseException:
    """Return the exception, and its causes, without the stack frames of hybridlint, its runtime and libraries.

    An exception whose frames are all the runtime's keeps them, unless it is the cause of another.
    """
    error.__traceback__ = _trimmed(error.__traceback__) or error.__traceback__
    seen: set[int] = {id(error)}
    current = error.__cause__ or error.__context__
    while current is not None and id(current) not in seen:
        seen.add(id(current))
        current.__traceback__ = _trimmed(current.__traceback__)
        current = current.__cause__ or current.__context__
    return error


def advice(error: BaseException) -> str:
    """Return the linter's findings for the place of failure (rule, file, line, fix), or "" if there are none."""
    frames = [trace.tb_frame for trace in _traces(error.__traceback__)]
    lines = [trace.tb_lineno for trace in _traces(error.__traceback__)]
    own = [(frame, line) for frame, line in zip(frames, lines, strict=True) if _is_own(frame)]
    for frame, line in reversed(own):
        found = [d for result in _checked(frame.f_code.co_filename) for d in _at(result, line)]
        if found:
            return "".join(_sentence(Path(frame.f_code.co_filename), d) for d in found[:1])
    return "".join(_of_blocks(frames))


def _of_blocks(frames: Sequence[FrameType]) -> Iterator[str]:
    """Yield advice on the innermost class of the program's own files that was being traced."""
    for frame in reversed(frames):
        block = frame.f_locals.get("self")
        if block is None or not hasattr(block, ENTRY) or _is_own(frame):
            continue
        path, found = _in_class(type(block))
        if found:
            yield from (_sentence(path, diagnostic) for diagnostic in found[:MOST_NAMED])
            return


def _in_class(cls: type) -> tuple[Path, list[Diagnostic]]:
    import inspect

    try:
        path = inspect.getsourcefile(cls)
        lines, first = inspect.getsourcelines(cls)
    except (OSError, TypeError):
        return Path(), []
    if path is None or _library(path):
        return Path(), []
    return Path(path), [d for result in _checked(path) for d in _at(result, first, first + len(lines))]


def _checked(path: str) -> Iterator[Result]:
    """Yield the check result of a file, or nothing if the file cannot be read."""
    from hybridlint.checking.pipeline import Pipeline, Steps
    from hybridlint.checking.session import Session
    from hybridlint.errors import UsageError

    try:
        yield from Pipeline(Session(use_cache=False), Steps()).of_text(Path(path), Path(path).read_bytes()).results
    except (OSError, UsageError):
        return


def _at(result: Result, first: int, last: int | None = None) -> list[Diagnostic]:
    """Return the errors and warnings on row `first`, or on the rows from `first` to `last`."""
    until = first if last is None else last
    return [
        diagnostic
        for diagnostic in result.diagnostics
        if diagnostic.severity in {"error", "warning"}
        and diagnostic.location.row <= until
        and diagnostic.end_location.row >= first
    ]


def _sentence(path: Path, diagnostic: Diagnostic) -> str:
    from hybridlint.report.style import show_path

    place = f"{show_path(path)}:{diagnostic.location.row}:{diagnostic.location.column}"
    line = f"hybridlint: {place}: {diagnostic.code} {diagnostic.message}\n"
    if diagnostic.fixable(unsafe=True):
        assert diagnostic.fix is not None
        option = "--fix" if diagnostic.fixable(unsafe=False) else "--fix --unsafe-fixes"
        return f"{line}  fix: {diagnostic.fix.message} (`hybridlint check {option} {show_path(path)}`)\n"
    if diagnostic.help:
        return f"{line}  help: {diagnostic.help}\n"
    return f"{line}  `hybridlint rule {diagnostic.code}` explains it\n"


def _traces(trace: TracebackType | None) -> Iterator[TracebackType]:
    while trace is not None:
        yield trace
        trace = trace.tb_next


def _trimmed(trace: TracebackType | None) -> TracebackType | None:
    """Return a traceback without frames of hybridlint and of libraries it calls, or None if none remain."""
    kept: list[TracebackType] = []
    inside = False
    for entry in _traces(trace):
        inside = _is_ours(entry.tb_frame) or (inside and not _is_own(entry.tb_frame))
        if not inside:
            kept.append(entry)
    for number, entry in enumerate(kept, 1):
        entry.tb_next = kept[number] if number < len(kept) else None
    return kept[0] if kept else None


def _is_ours(frame: FrameType) -> bool:
    return os.path.abspath(frame.f_code.co_filename).startswith(_OURS + os.sep)


def _is_own(frame: FrameType) -> bool:
    """Whether a frame is the program's own code: not the runtime's, a library's or Python's."""
    path: Any = frame.f_code.co_filename
    return not path.startswith("<") and not _is_ours(frame) and not _library(path)


def _library(path: str) -> bool:
    return os.path.abspath(path).startswith(tuple(folder + os.sep for folder in _LIBRARIES))
