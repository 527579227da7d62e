"""Advice for a program that failed on the bundled runtime: the line of its code, rule and fix."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from traceback import format_exception_only
from types import FrameType, TracebackType
from typing import TYPE_CHECKING, Any

import hybridlint
from hybridlint.analysis.mxnet.classes import ENTRY
from hybridlint.explain.library_frames import is_library

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.explain.traceback_info import RaisedError

_OURS = os.path.dirname(os.path.abspath(str(hybridlint.__file__)))


def trim_traceback(error: BaseException) -> BaseException:
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


def read_failure(error: BaseException) -> str:
    """Return advice for an exception that ended a program, and trim its traceback to the program's own frames."""
    found = advice(error) if isinstance(error, Exception) else ""
    trim_traceback(error)
    return found


def advice(error: BaseException) -> str:
    """Return the findings (rule, file, line, fix) or the explanation for an exception; "" if nothing is known."""
    from hybridlint.checking.pipeline import Pipeline, PipelineSteps
    from hybridlint.checking.session import CheckSession
    from hybridlint.core.errors import UsageError
    from hybridlint.explain.causes import explain_error

    pipeline = Pipeline(CheckSession(use_cache=False, jobs=1), PipelineSteps())
    errors = _chain_of(error)
    try:
        explanation = explain_error(list(map(_raised, errors)), pipeline, _files_of_blocks(errors))
    except (OSError, UsageError):
        return ""
    cause, reading = explanation.cause, explanation.reading
    if cause is not None:
        return "".join(_sentence(cause.result.path, each) for each in cause.result.diagnostics)
    return f"hybridlint: {reading.meaning}\n  help: {reading.remedy}\n" if reading is not None else ""


def _chain_of(error: BaseException) -> list[BaseException]:
    """Return an exception after those during whose handling it was raised, as Python prints them."""
    chain = [error]
    while (
        before := chain[0].__cause__ or (None if chain[0].__suppress_context__ else chain[0].__context__)
    ) is not None:
        if before in chain:
            break
        chain.insert(0, before)
    return chain


def _raised(error: BaseException) -> RaisedError:
    from hybridlint.explain.traceback_info import RaisedError, TracebackFrame

    frames = (
        TracebackFrame(trace.tb_frame.f_code.co_filename, trace.tb_lineno, trace.tb_frame.f_code.co_name)
        for trace in _traces(error.__traceback__)
    )
    blocks = (f"{getattr(block, 'name', '')}_" for block in _blocks(error))
    return RaisedError(tuple(frames), "".join(format_exception_only(error)).strip(), tuple(dict.fromkeys(blocks)))


def _blocks(error: BaseException) -> Iterator[Any]:
    """Yield the blocks that were running, innermost first."""
    for trace in reversed(list(_traces(error.__traceback__))):
        block = trace.tb_frame.f_locals.get("self")
        if block is not None and hasattr(block, ENTRY):
            yield block


def _files_of_blocks(errors: Iterable[BaseException]) -> list[Path]:
    """Return the program's own files with the classes of the blocks that were running."""
    import inspect

    found: dict[Path, None] = {}
    for block in (block for error in errors for block in _blocks(error)):
        try:
            path = inspect.getsourcefile(type(block))
        except (OSError, TypeError):
            continue
        if path is not None and not is_library(path):
            found[Path(path)] = None
    return list(found)


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
    path = frame.f_code.co_filename
    return not path.startswith("<") and not is_library(path)
