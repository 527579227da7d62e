"""Errors that end a command with exit status 2 and one clear sentence."""

from __future__ import annotations


class UsageError(Exception):
    """The tool was misused: a path that does not exist, a wrong setting, an unknown rule code."""
