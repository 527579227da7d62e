"""The lines that two texts share are found as `difflib` finds them, but in bounded time."""

from __future__ import annotations

import difflib
import random
import time

import pytest

from hybridlint.text import matching
from hybridlint.text.matching import line_changes, matched_blocks

EQUAL = ["# equal"] * 20_000


def changed(old: list[str], new: list[str]) -> list[str]:
    """Return what the changes make of the old lines."""
    found: list[str] = []
    at = 0
    for kind, first, last, start, end in line_changes(old, new):
        assert first == at
        assert kind != "equal" or old[first:last] == new[start:end]
        at, found = last, found + new[start:end]
    assert at == len(old)
    return found


@pytest.mark.parametrize("most", [0, 20, 10**9])
def test_changes_turn_one_text_into_the_other(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matching, "_MOST_PAIRS", most)
    drawn = random.Random(1)
    for _ in range(300):
        old, new = ([drawn.choice("abcdefgh") for _ in range(drawn.randrange(12))] for _ in range(2))
        assert changed(old, new) == new


def test_few_lines_are_matched_as_difflib_does() -> None:
    old, new = list("abcdxyzmn"), list("acdqxyzn")
    expected = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    assert [tuple(change) for change in line_changes(old, new)] == expected


@pytest.mark.parametrize(
    ("old", "new", "shared"),
    [
        ([*EQUAL, "x"], [*EQUAL, "y"], 20_000),
        (["x", *EQUAL, "end"], ["y", "z", *EQUAL, "END"], 0),
        (["x", "one", *EQUAL, "two", "a"], ["y", "z", "one", *EQUAL, "two", "b"], 20_002),
        (["x", *EQUAL, "y"], ["z"], 0),
    ],
)
def test_many_equal_lines_take_little_time(old: list[str], new: list[str], shared: int) -> None:
    began = time.process_time()
    assert changed(old, new) == new
    assert sum(block.size for block in matched_blocks(old, new)) >= shared
    assert time.process_time() - began < 2
