"""The end of a command by a signal: what it has begun is undone, as after an interrupt."""

from __future__ import annotations

import signal
import sys
from contextlib import suppress
from types import FrameType
from typing import NoReturn


def end_orderly() -> None:
    """Let SIGTERM and SIGHUP end this process as an interrupt does, with the exit status that shells give it.

    What somebody ignores for us, as `nohup` does, is ignored.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Only the main thread may do so.
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)


def end_at_once() -> None:
    """Let SIGTERM and SIGHUP end this process as they end any other: for programs that are run here."""
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is _end:
                signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    sys.exit(128 + number)
