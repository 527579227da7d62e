"""Lists that loops fill: made beside other values, reversed, counted, or put to another use."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "made beside a state, and reversed": (
        """
        out, h = [], y  # first
        for r in F.reverse(x, axis=0):
            h = F.relu(r * h)
            out.append(h)
        out = out[::-1]
        return F.stack(*out, axis=1)
        """,
        """
        h = y  # first
        def step(r, h):
            h = F.relu(r * h)
            return h, h
        out, h = F.contrib.foreach(step, F.reverse(x, axis=0), h)
        out = F.reverse(out, axis=0)
        return F.swapaxes(out, 0, 1)
        """,
    ),
    "made beside two others": (
        """
        out, h, k = [], y, x
        for r in x:
            h = F.relu(r * h)
            out.append(h)
        out = list(reversed(out))
        return F.stack(*out) + k
        """,
        """
        h, k = y, x
        def step(r, h):
            h = F.relu(r * h)
            return h, h
        out, h = F.contrib.foreach(step, x, h)
        out = F.reverse(out, axis=0)
        return out + k
        """,
    ),
    "counted": (
        """
        out = []
        for r in x:
            out.append(F.sum(r))
        return F.add_n(*out) / len(out)
        """,
        """
        def step(r, states):
            return F.sum(r), states
        out, _ = F.contrib.foreach(step, x, [])
        return F.mean(out, axis=0)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_combined(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


LEFT = {
    "reversed by another name": "out = []\nfor r in x:\n    out.append(r)\nback = out[::-1]\nreturn F.stack(*back)",
    "only counted": "out = []\nfor r in x:\n    out.append(r * 2)\nreturn y * len(out)",
    "an item of it": "out = []\nfor r in x:\n    out.append(r * 2)\nreturn F.stack(*out) + out[0]",
    "not empty": "out, h = [y], y\nfor r in x:\n    out.append(r * h)\nreturn F.stack(*out)",
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_left_alone(body: str) -> None:
    assert "foreach" not in fixed(body, unsafe=True)
