"""Scopes of autograd, with their comments."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

PAUSES = {
    "a pause": (
        "with autograd.pause():\n    z = x * 2  # stop\nreturn z + x",
        "z = F.BlockGrad(x * 2)  # stop\nreturn z + x",
    ),
    "a pause with comments": (
        "with autograd.pause():  # no gradient\n    a = x * 2\n    z = a + (  # sum\n        1\n    )\nreturn z + x",
        """
        # no gradient
        a = x * 2
        z = F.BlockGrad(a + (  # sum
            1
        ))
        return z + x
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), PAUSES.values(), ids=PAUSES.keys())
def test_pauses(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_a_pause_that_makes_nothing_is_left() -> None:
    body = "with autograd.pause():\n    z = x\nreturn z + x"
    assert fixed(body) == body
