"""Layers that would get no gradient but zeros, if one is stopped behind them."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

ALONE = {
    "in the expression": (
        "z = F.softmax(self.net(x)).detach()\nreturn x * z",
        """
        z = F.softmax(self.net(x))
        with autograd.pause():
            z = F.BlockGrad(z)
        return x * z
        """,
    ),
    "by names": (
        "h = F.relu(self.net(x))\nh = h * 2\nz = h.detach()\nreturn x * z",
        """
        h = F.relu(self.net(x))
        h = h * 2
        with autograd.pause():
            z = F.BlockGrad(h)
        return x * z
        """,
    ),
}
OTHERS = {
    "a layer whose output is used too": (
        "h = self.net(x)\nreturn h * F.softmax(h).detach()",
        "h = self.net(x)\nreturn h * F.BlockGrad(F.softmax(h))",
    ),
    "no layer": ("return x * F.exp(y).detach()", "return x * F.BlockGrad(F.exp(y))"),
}


@pytest.mark.parametrize(("before", "after"), ALONE.values(), ids=ALONE.keys())
def test_the_gradient_is_stopped_in_a_scope(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


@pytest.mark.parametrize(("before", "after"), OTHERS.values(), ids=OTHERS.keys())
def test_the_gradient_is_stopped_in_place(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after
