"""The end of a command by a signal: it cleans up as after an interrupt."""

from __future__ import annotations

import os
import signal
import sys
import threading
from contextlib import suppress
from types import FrameType
from typing import NoReturn

#: Seconds after which a signal is sent once more whose exception was swallowed.
_AGAIN = 0.02


class _Ended:
    """The signal that ends this process, None before one has come."""

    number: int | None = None


def end_orderly() -> None:
    """Let SIGTERM and SIGHUP end this process as an interrupt does, with the exit status that shells give it.

    What someone ignores for us, as `nohup` does, is ignored. A signal that comes while Python runs a callback of its
    own, as at each import, is not lost: Python swallows what is raised there, and the signal is sent once more.
    """
    sys.unraisablehook = _swallowed
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        # Only the main thread may do so.
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is signal.SIG_DFL:
                signal.signal(number, _end)


def end_at_once() -> None:
    """Let SIGTERM and SIGHUP end this process as they end any other: for programs that are run here."""
    if sys.unraisablehook is _swallowed:
        sys.unraisablehook = sys.__unraisablehook__
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        with suppress(ValueError):
            if number is not None and signal.getsignal(number) is _end:
                signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)
    _Ended.number = number
    sys.exit(128 + number)


def _swallowed(told: sys.UnraisableHookArgs) -> None:
    """Send a signal again whose exception ends nothing, as what was running could not raise it."""
    if issubclass(told.exc_type, KeyboardInterrupt):
        _send_again(signal.SIGINT)
    elif issubclass(told.exc_type, SystemExit) and _Ended.number is not None:
        signal.signal(_Ended.number, _end)
        _send_again(_Ended.number)
    else:
        sys.__unraisablehook__(told)


def _send_again(number: int) -> None:
    # Not at once: it would arrive in here, and be swallowed again.
    timer = threading.Timer(_AGAIN, os.kill, (os.getpid(), number))
    timer.daemon = True
    timer.start()
