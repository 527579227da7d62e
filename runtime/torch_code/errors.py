"""The error of code that has no translation."""

from __future__ import annotations


class NoTranslationError(Exception):
    """Raised for code without a PyTorch counterpart, or with too little known about it; the text says which."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason
