"""Whether a statement has just made the array that another one changes."""

from __future__ import annotations

import ast

import pytest

from hybridlint.fixers.evidence.fresh_arrays import is_just_made
from tests.fixers.bodies import met

STORE = "z[0] = 1"
MADE = {
    "by an operator": f"z = F.zeros_like(x)\n{STORE}",
    "by arithmetic": f"z = x * 2\n{STORE}",
    "by a method that copies": f"z = x.astype('float16')\n{STORE}",
    "and another item stored": f"z = F.zeros_like(x)\nz[1] = y\n{STORE}",
    "and others made": f"z = F.zeros_like(x)\nw = y * 2\n{STORE}",
    "though rebound in a loop behind": f"z = F.zeros_like(x)\n{STORE}\nfor i in range(3):\n    z = z * 2",
}


@pytest.mark.parametrize("body", MADE.values(), ids=MADE.keys())
def test_made(body: str) -> None:
    frame = met(f"{body}\nreturn z", STORE)
    assert isinstance(frame.statement, ast.stmt)
    assert is_just_made(frame, frame.statement, "z")


OTHERS = {
    "another name": f"z = y\n{STORE}",
    "by a method that shares its memory": f"z = x.reshape((2, -1))\n{STORE}",
    "but read since": f"z = F.zeros_like(x)\nw = z\n{STORE}",
    "but stored in an object since": f"z = F.zeros_like(x)\nself.z = z\n{STORE}",
    "but an item of it is made of another": f"z = F.zeros_like(x)\nz[1] = z[0]\n{STORE}",
    "in another branch": f"if self.flag:\n    z = F.zeros_like(x)\nelse:\n    z = x\n{STORE}",
    "nowhere": STORE,
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_others(body: str) -> None:
    frame = met(f"{body}\nreturn x", STORE)
    assert isinstance(frame.statement, ast.stmt)
    assert not is_just_made(frame, frame.statement, "z")
