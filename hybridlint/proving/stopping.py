"""A proof that somebody ends early: what was judged until then is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

#: Set once the proofs of this process are to end.
STOPPED = threading.Event()
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class StoppedProofError(Exception):
    """A proof was ended by somebody, and not by what was proved."""


def check_stopped() -> None:
    """Raise StoppedProofError where proofs are to end."""
    if STOPPED.is_set():
        raise StoppedProofError


@contextmanager
def stoppable() -> Iterator[None]:
    """Let an interrupt, or a request to end, stop the proofs within, and not the process; a second one ends it."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {int(number): signal.getsignal(number) for number in _SIGNALS}

    def stop(number: int, _frame: FrameType | None) -> None:
        STOPPED.set()
        signal.signal(number, before[number])

    for number in _SIGNALS:
        signal.signal(number, stop)
    try:
        yield
    finally:
        for number in _SIGNALS:
            signal.signal(number, before[number])
