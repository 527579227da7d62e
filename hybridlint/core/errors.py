"""Errors that end a command with exit status 2 and one clear sentence."""

from __future__ import annotations

import signal
from collections.abc import Sequence
from pathlib import Path

#: What shells add to the number of a signal.
_SIGNALLED = 128
#: Files that a sentence names.
_MOST_NAMED = 3


class UsageError(Exception):
    """The tool was misused: a path that does not exist, a wrong setting, an unknown rule code."""

    #: The exit status of the command.
    status = 2


class EndedEarlyError(UsageError):
    """A signal ended the command before it had done all of its work; what it had done was reported."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.status = 128 + number


def signal_of(end: BaseException) -> int:
    """Return the number of the signal that raised an exception which ends the process."""
    if isinstance(end, SystemExit) and isinstance(end.code, int) and end.code > _SIGNALLED:
        return end.code - _SIGNALLED
    return signal.SIGINT


def some_files(paths: Sequence[Path]) -> str:
    """Return the names of some files in words, the first of many."""
    more = f" and {len(paths) - _MOST_NAMED} more" if len(paths) > _MOST_NAMED else ""
    return ", ".join(map(str, paths[:_MOST_NAMED])) + more
