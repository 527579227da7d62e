"""A source file as Python reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from hybridlint.text.source import SourceError, SourceFile

TEXTS = {
    "x = 1\n": None,
    "\ufeffx = 1\n": None,
    "def f(:\n": (1, 7),
    "x = '\0'\n": (1, 1),
    # Refused when they are compiled, by which time they have been parsed.
    "def f(x):\n    global x\n": None,
    "nonlocal x\n": None,
}


@pytest.mark.parametrize("text", TEXTS)
def test_the_syntax_is_checked_as_the_tree_is_built(text: str) -> None:
    def place(ask: Callable[[SourceFile], object]) -> tuple[int, int] | None:
        try:
            ask(SourceFile(Path("net.py"), text))
        except SourceError as error:
            return error.row, error.column
        return None

    assert place(SourceFile.check_syntax) == place(lambda source: source.tree) == TEXTS[text]
