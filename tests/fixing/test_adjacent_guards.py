"""Guards that fixes put around neighbouring statements are one guard; those of the author stay as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.fixing.adjacent_guards import adjacent_guards
from hybridlint.text.edits import apply_edits
from hybridlint.text.source import SourceFile

BEFORE = "def f(F, x):\n    assert x\n    assert x.b\n    return x\n"
GUARD = "    if F is nd:\n"


def joined(body: str, before: str = BEFORE) -> str:
    text = f"def f(F, x):\n{body}    return x\n"
    found = apply_edits(text, adjacent_guards(SourceFile(Path("x.py"), before), SourceFile(Path("x.py"), text)))
    return found.removeprefix("def f(F, x):\n").removesuffix("    return x\n")


def test_neighbours_are_one() -> None:
    body = f"{GUARD}        assert x\n{GUARD}        assert x.b\n{GUARD}        assert x.c\n"
    assert joined(body) == f"{GUARD}        assert x\n        assert x.b\n        assert x.c\n"


def test_a_blank_line_between_them_stays() -> None:
    body = f"{GUARD}        assert x\n\n{GUARD}        assert x.b\n"
    assert joined(body) == f"{GUARD}        assert x\n\n        assert x.b\n"


@pytest.mark.parametrize(
    "body",
    [
        f"{GUARD}        assert x\n    x = x + 1\n{GUARD}        assert x.b\n",
        f"{GUARD}        assert x\n    # why\n{GUARD}        assert x.b\n",
        f"{GUARD}        assert x\n    if F is sym:\n        assert x.b\n",
        f"{GUARD}        assert x\n    else:\n        x = 2\n{GUARD}        assert x.b\n",
        f"{GUARD}        F = x\n{GUARD}        assert x.b\n",
        "    if f(x):\n        assert x\n    if f(x):\n        assert x.b\n",
    ],
    ids=["code between", "a comment", "another test", "an alternative", "what the test reads is bound", "a call"],
)
def test_others_are_not(body: str) -> None:
    assert joined(body) == body


def test_those_of_the_author_stay() -> None:
    body = f"{GUARD}        assert x\n{GUARD}        assert x.b\n"
    assert joined(body, before=f"def f(F, x):\n{GUARD}        assert x\n    assert x.b\n    return x\n") == body
