"""The progress of long work where no terminal is: a line on standard error every ten seconds."""

from __future__ import annotations

import time
from collections.abc import Callable

import click

#: Seconds between two lines.
PAUSE = 10.0


class PacedLines:
    """Writes a text as a line on standard error, at most once every `PAUSE` seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()

    def __call__(self, text: Callable[[], str]) -> None:
        """Write the text if its time has come; it is made only then."""
        now = self._clock()
        if now - self._last >= PAUSE:
            self._last = now
            click.echo(text(), err=True)
