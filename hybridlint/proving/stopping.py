"""Stopping a proof early: the outcomes reached until then are kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import ClassVar

from hybridlint.core.errors import EndedEarlyError, some_files

#: Set when the proofs of this process should end.
STOPPED = threading.Event()
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Signal:
    """The signal that ended the proofs, and the files whose proof it prevented or cut short."""

    number: int = signal.SIGINT
    unproved: ClassVar[list[Path]] = []


def leave_unproved(path: Path) -> None:
    """Remember a file whose blocks were not all judged, because the user has ended the proofs."""
    _Signal.unproved.append(path)


class StoppedProofError(Exception):
    """Raised when the user, and not the proved code, ended a proof."""


def is_stopped() -> bool:
    """Whether the user has ended the proofs of this process."""
    return STOPPED.is_set()


def ended_by() -> int:
    """Return the number of the signal that has ended the proofs."""
    return _Signal.number


def tell_if_stopped(outcomes: int) -> None:
    """Raise EndedEarlyError if the user has ended the proofs, with the number of outcomes that the report holds."""
    if STOPPED.is_set():
        judged = "1 block that was" if outcomes == 1 else f"{outcomes} blocks that were"
        left = f"; blocks are left in {some_files(_Signal.unproved)}" if _Signal.unproved else ""
        raise EndedEarlyError(
            f"the proof was ended early: the report holds the {judged} judged until then{left}", _Signal.number
        )


def check_stopped() -> None:
    """Raise StoppedProofError if the proofs should end."""
    if STOPPED.is_set():
        raise StoppedProofError


@contextmanager
def stoppable() -> Iterator[None]:
    """Let SIGINT and SIGTERM stop the proofs inside the context instead of the process.

    A second signal ends the process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    if not STOPPED.is_set():
        _Signal.unproved.clear()
    before = {int(number): signal.getsignal(number) for number in _SIGNALS}

    def stop(number: int, _frame: FrameType | None) -> None:
        _Signal.number = number
        STOPPED.set()
        signal.signal(number, before[number])

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in _SIGNALS:
            signal.signal(number, before[number])
