"""The progress of long work: a counter on a line of the terminal that disappears at the end."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from hybridlint.system.progress_lines import PacedLines
from hybridlint.system.terminal import raw_stream

#: Seconds that pass before anything is shown: short work shows nothing.
_SHORT = 0.7
#: Seconds between two changes of what is shown.
_PAUSE = 0.1
_BAR = 30


@contextmanager
def counting(what: str, clock: Callable[[], float] = time.monotonic) -> Iterator[Callable[[int, int], None]]:
    """Show the progress of long work: on a terminal a bar, elsewhere a line every ten seconds.

    It yields a function that takes the number of finished items and their total.
    """
    if not sys.stderr.isatty():
        lines = PacedLines(clock)
        yield lambda done, of: lines(lambda: f"{what} {done} of {of}")
        return
    # It imports the modules of archives, which most checks, shorter and without a terminal, can do without.
    from shutil import get_terminal_size

    begun, shown = clock(), 0.0

    def tell(done: int, of: int) -> None:
        nonlocal shown
        now = clock()
        if now - begun >= _SHORT and (now - shown >= _PAUSE or done == of):
            shown = now
            raw_stream(sys.stderr).write("\r" + line(what, done, of, get_terminal_size().columns))
            sys.stderr.flush()

    try:
        yield tell
    finally:
        if shown:
            raw_stream(sys.stderr).write("\r\x1b[K")
            sys.stderr.flush()


def line(what: str, done: int, of: int, columns: int) -> str:
    """Return the line that shows how much is done: ``checking ####------ 12 of 30``."""
    text = f"{what} {done} of {of}"
    room = min(_BAR, columns - len(text) - 4)
    if room < 5:
        return text[: columns - 1]
    full = room * done // of if of else room
    return f"{what} [{'#' * full}{'-' * (room - full)}] {done} of {of}"
