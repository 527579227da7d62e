"""The standard streams of this process: control characters in their text do not reach the terminal."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

import click

from hybridlint.text.visible import visible_but_coloured


class TerminalState:
    """A text stream that writes control characters as visible text, except colours."""

    def __init__(self, stream: TextIO) -> None:
        self.unfiltered = stream

    def write(self, text: str) -> int:
        """Write a text. Returns its number of characters."""
        self.unfiltered.write(visible_but_coloured(text))
        return len(text)

    def writelines(self, lines: list[str]) -> None:
        """Write several texts."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        """Return the attribute of the stream itself."""
        return getattr(self.unfiltered, name)


def open_all() -> None:
    """Open the standard streams that are closed: reading one gives nothing, and text written to it is dropped.

    Otherwise the next file that is opened would get the number of a stream, and the text written to that stream.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is not None:
            continue
        nowhere = os.open(os.devnull, os.O_RDWR)
        if nowhere != number:
            os.dup2(nowhere, number)
            os.close(nowhere)
        os.set_inheritable(number, True)
        setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def protect() -> None:
    """Let what this process writes to its standard streams as text be shown, whatever is in it."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None or isinstance(stream, TerminalState):
            continue
        # A character that the terminal cannot show is escaped instead of raising an error.
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
        setattr(sys, name, TerminalState(stream))


def unprotect() -> None:
    """Give a program that runs in this process the streams as they are."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, TerminalState):
            setattr(sys, name, stream.unfiltered)


def raw_stream(stream: TextIO) -> TextIO:
    """Return the stream itself, for those who mean to command the terminal."""
    return stream.unfiltered if isinstance(stream, TerminalState) else stream


def exact(text: str) -> bytes:
    """Return a text as bytes for the standard output, which nothing changes on the way; colours only if asked for."""
    context = click.get_current_context(silent=True)
    coloured = context is not None and context.color
    return (text if coloured else click.unstyle(text)).encode(sys.stdout.encoding or "utf-8", "backslashreplace")
