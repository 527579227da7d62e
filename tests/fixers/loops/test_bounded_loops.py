"""Loops that data may end early, up to a number of rounds."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

CASES = {
    "a while with a counter": (
        "n = 0\nwhile F.sum(x) < 10 and n < 5:\n    x = x * 2  # twice\n    n += 1\nreturn x",
        """
        for n in range(5):
            running = F.sum(x) < 10
            before = [x]
            x = x * 2  # twice
            x = F.where(F.broadcast_mul(F.ones_like(x), running), x, before[0])
        return x
        """,
    ),
    "the counter first": (
        "k = 0\nwhile k < 4 and x.max() > 1:\n    x = x / 2\n    k = k + 1\nreturn x",
        """
        for k in range(4):
            running = x.max() > 1
            before = [x]
            x = x / 2
            x = F.where(F.broadcast_mul(F.ones_like(x), running), x, before[0])
        return x
        """,
    ),
    "a counter that rounds read, from 1": (
        "k = 1\nz = x * 2\nwhile F.mean(z) < 3 and k < 4:\n    step = x * k\n    z = z + step\n    k += 1\nreturn z",
        """
        z = x * 2
        for k in range(1, 4):
            running = F.mean(z) < 3
            before = [z]
            step = x * k
            z = z + step
            z = F.where(F.broadcast_mul(F.ones_like(z), running), z, before[0])
        return z
        """,
    ),
    "a for with a break": (
        "for _ in range(6):\n    if F.sum(x) > 9:\n        break\n    y = y + x\n    x = x * 2\nreturn x + y",
        """
        for _ in range(6):
            running = F.logical_not(F.sum(x) > 9)
            before = [x, y]
            y = y + x
            x = x * 2
            x = F.where(F.broadcast_mul(F.ones_like(x), running), x, before[0])
            y = F.where(F.broadcast_mul(F.ones_like(y), running), y, before[1])
        return x + y
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_loops(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


OTHERS = {
    "without a number of rounds": "while F.sum(x) < 10:\n    x = x * 2\nreturn x",
    "that draws": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    x = x + F.Dropout(x)\n    n += 1\nreturn x",
    "whose rounds are counted": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    x = x * 2\n    n += 1\nreturn x * n",
    "whose condition counts": "n = 0\nwhile F.sum(x) < n * 9 and n < 5:\n    x = x * 2\n    n += 1\nreturn x",
    "that grows": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    x = F.concat(x, y, dim=1)\n    n += 1\nreturn x",
    "that shrinks": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    x = F.slice_axis(x, axis=0, begin=1, end=None)\n"
    "    n += 1\nreturn x",
    "by an unknown child": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    x = self.child(x)\n    n += 1\nreturn x",
    "of several numbers": "n = 0\nwhile F.sum(x, axis=1) < 9 and n < 5:\n    x = x * 2\n    n += 1\nreturn x",
    "that makes a name": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    x = x * 2\n    z = x + 1\n    n += 1\nreturn z",
    "that counts by two": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    x = x * 2\n    n += 2\nreturn x",
    "that counts in between": "n = 0\nwhile F.sum(x) < 9 and n < 5:\n    n += 1\n    x = x * n\nreturn x",
    "with a list": "n = 0\nz = []\nwhile F.sum(x) < 9 and n < 5:\n    x = x * 2\n    z.append(x)\n    n += 1\nreturn z",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_other_loops(body: str) -> None:
    assert "F.where" not in fixed(body, unsafe=True)
