"""Guards on what F is: the branch of the eager run stays."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

GUARDS = {
    "a guard": ("return x * 2 if F is nd else x * 3", "return x * 2"),
    "a guard beside an operator": ("return y * (x + 2 if F is nd else x * 3)", "return y * (x + 2)"),
    "a guard among arguments": ("return F.sum(x, axis=(0 if F is nd else 1))", "return F.sum(x, axis=(0))"),
}


@pytest.mark.parametrize(("before", "after"), GUARDS.values(), ids=GUARDS.keys())
def test_guards(before: str, after: str) -> None:
    assert fixed(before) == lines(after)
