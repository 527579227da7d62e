"""Tensors that a loop fills item by item: a list to which the loop adds, and the stack of it."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

FILLED = {
    "some items, as many as a setting says": (
        """
        z = F.zeros((2, self.n, 3))
        for i in range(self.n):
            z[:, i] = F.relu(x * i)
        return F.relu(z)
        """,
        """
        z = []
        for i in range(self.n):
            z.append(F.relu(x * i))
        z = F.stack(*z, axis=1)
        return F.relu(z)
        """,
    ),
    "whole axes around the item": (
        """
        z = F.ones((2, 5, self.n)) * -1.5
        for i in range(0, self.n):
            z[:, :, i] = F.relu(y)
        return z
        """,
        """
        z = []
        for i in range(0, self.n):
            z.append(F.relu(y))
        z = F.stack(*z, axis=2)
        return z
        """,
    ),
    "the steps of an array, which foreach takes": (
        """
        z = F.zeros_like(x)
        h = F.zeros_like(y)
        for t in range(x.shape[0]):
            h = h * 0.5 + x[t]
            z[t] = h
        return z
        """,
        """
        h = F.zeros_like(y)
        def step(row, h):
            h = F.broadcast_add(h * 0.5, row)
            return h, h
        z, h = F.contrib.foreach(step, x, h)
        return z
        """,
    ),
    "from the last step on": (
        """
        z = F.zeros_like(x)
        h = F.zeros_like(y)
        for t in reversed(range(x.shape[0])):
            h = h * 0.5 + x[t]
            z[t] = h
        return z * 2
        """,
        """
        h = F.zeros_like(y)
        def step(row, h):
            h = F.broadcast_add(h * 0.5, row)
            return h, h
        z, h = F.contrib.foreach(step, F.reverse(x, axis=0), h)
        z = F.reverse(z, axis=0)
        return z * 2
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), FILLED.values(), ids=FILLED.keys())
def test_filled(before: str, after: str) -> None:
    assert "".join(fixed(lines(before), unsafe=True).split()) == "".join(after.split())


LEFT = {
    "fewer steps than items": ("z = F.zeros((2, self.n))", "for i in range(self.m):", "z[:, i] = F.relu(y)"),
    "all items but the first": ("z = F.zeros((2, self.n))", "for i in range(1, self.n):", "z[:, i] = F.relu(y)"),
    "an item beside that of the step": ("z = F.zeros((2, self.n))", "for i in range(self.n):", "z[:, i + 1] = y * 2"),
    "an item of another axis": ("z = F.zeros((2, self.n))", "for i in range(self.n):", "z[i] = F.relu(y)"),
    "numbers": ("z = F.zeros((2, self.n))", "for i in range(self.n):", "z[:, i] = 0.5"),
    "one number for all of a row": ("z = F.zeros((self.n, 3))", "for i in range(self.n):", "z[i] = F.mean(y)"),
    "what it held before": ("z = F.zeros((2, self.n))", "for i in range(self.n):", "z[:, i] = z[:, i] + y * 2"),
    "a tensor of other numbers": ("z = F.relu(x)", "for i in range(x.shape[0]):", "z[i] = y * 2"),
    "a loop that ends early": (
        "z = F.zeros((2, self.n))",
        "for i in range(self.n):",
        "z[:, i] = F.relu(y)\n    if i > self.m:\n        break",
    ),
}


@pytest.mark.parametrize(("made", "loop", "step"), LEFT.values(), ids=LEFT.keys())
def test_left_alone(made: str, loop: str, step: str) -> None:
    assert "append" not in fixed(f"{made}\n{loop}\n    {step}\nreturn z", unsafe=True)


def test_what_is_read_before_the_loop_stays_a_tensor() -> None:
    body = "z = F.zeros((2, self.n))\nw = z + 1\nfor i in range(self.n):\n    z[:, i] = F.relu(y)\nreturn z + w"
    assert "append" not in fixed(body, unsafe=True)
