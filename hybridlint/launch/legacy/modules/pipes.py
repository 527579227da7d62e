"""``pipes``: quoting for the shell."""

from shlex import quote

__all__ = ["quote"]
