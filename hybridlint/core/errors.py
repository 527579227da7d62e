"""Errors that end a command with exit status 2 and one clear sentence."""

from __future__ import annotations


class UsageError(Exception):
    """The tool was misused: a path that does not exist, a wrong setting, an unknown rule code."""

    #: The exit status of the command.
    status = 2


class EndedEarlyError(UsageError):
    """A signal ended the command before it had done all of its work; what it had done was reported."""

    def __init__(self, message: str, number: int) -> None:
        super().__init__(message)
        self.status = 128 + number
