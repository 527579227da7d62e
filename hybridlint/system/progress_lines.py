"""The progress of long work where no terminal is: a line on standard error every ten seconds."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

#: Seconds between two lines.
PAUSE = 10.0


class LateLines:
    """Lines about what long work has reached, for `write`. Before `PAUSE` seconds they wait: short work makes none."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._begun = clock()
        self._waiting: list[Callable[[], str]] = []
        self._lock = threading.Lock()

    def __call__(self, line: Callable[[], str]) -> None:
        """Write a line, after those that waited, or let it wait."""
        with self._lock:
            self._waiting.append(line)
            if self._clock() - self._begun >= PAUSE:
                for each in self._waiting:
                    self._write(each())
                self._waiting.clear()


class PacedLines:
    """Writes a text as a line on standard error, at most once every `PAUSE` seconds."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._last = clock()
        self._text: Callable[[], str] | None = None

    @contextmanager
    def repeating(self) -> Iterator[None]:
        """Write the last text again inside the context, where nothing new comes in time: the work goes on."""
        ended = threading.Event()
        thread = threading.Thread(target=self._repeat, args=(ended,), daemon=True)
        thread.start()
        try:
            yield
        finally:
            ended.set()
            thread.join()

    def _repeat(self, ended: threading.Event) -> None:
        while not ended.wait(PAUSE / 4):
            if self._text is not None:
                self(self._text)

    def __call__(self, text: Callable[[], str]) -> None:
        """Write the text if its time has come; it is made only then."""
        self._text = text
        now = self._clock()
        if now - self._last >= PAUSE:
            self._last = now
            click.echo(text(), err=True)
