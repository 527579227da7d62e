"""Assignments of names that fixes gave to tensors, and that nothing reads any more."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.fixing.unread_copies import unread_copies
from hybridlint.text.edits import apply_edits
from hybridlint.text.source import SourceFile

BEFORE = "def f(x):\n    n = len(x)\n    x = g(x)\n    return n, x\n"

AFTER = {
    "nothing reads it": ("    x_like = x\n    x = g(x)\n", "    x = g(x)\n"),
    "it is read": ("    x_like = x\n    x = g(x_like)\n", None),
    "the file had it": ("    n = x\n    x = g(x)\n", None),
    "it holds a result": ("    x_like = g(x)\n    x = g(x)\n", None),
    "a comment beside it": ("    x_like = x  # the input\n    x = g(x)\n", None),
}


@pytest.mark.parametrize(("body", "tidied"), AFTER.values(), ids=AFTER.keys())
def test_a_copy_goes_where_nothing_reads_it(body: str, tidied: str | None) -> None:
    after = SourceFile(Path("net.py"), f"def f(x):\n{body}    return x\n")
    edits = unread_copies(SourceFile(Path("net.py"), BEFORE), after)
    assert apply_edits(after.text, edits) == (after.text if tidied is None else f"def f(x):\n{tidied}    return x\n")


def test_a_text_without_fixes_keeps_its_copies() -> None:
    source = SourceFile(Path("net.py"), "def f(x):\n    y = x\n    return x\n")
    assert unread_copies(source, source) == []
