"""Scopes of autograd, with their comments."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

PAUSES = {
    "a pause": (
        "with autograd.pause():\n    z = x * 2  # stop\nreturn z + x",
        "with autograd.pause():\n    z = F.BlockGrad(x * 2)  # stop\nreturn z + x",
    ),
    "a pause with comments": (
        "with autograd.pause():  # no gradient\n    a = x * 2\n    z = a + (  # sum\n        1\n    )\nreturn z + x",
        """
        with autograd.pause():  # no gradient
            a = x * 2
            z = F.BlockGrad(a + (  # sum
                1
            ))
        return z + x
        """,
    ),
    "a pause with what is unpacked": (
        "with autograd.pause():\n    a, b = F.split(x, 2)\n    a = a * 2\nreturn a + b + x",
        """
        with autograd.pause():
            a, b = F.split(x, 2)
            a = F.BlockGrad(a * 2)
            b = F.BlockGrad(b)
        return a + b + x
        """,
    ),
    "a pause with a list that a loop fills": (
        "steps = []\nwith autograd.pause():\n    z = x\n    for _ in range(2):\n        z = F.tanh(z * 2)\n"
        "        steps.append(z)\nreturn x * steps[0] + steps[1]",
        """
        steps = []
        with autograd.pause():
            z = x
            for _ in range(2):
                z = F.tanh(z * 2)
                steps.append(F.BlockGrad(z))
        return x * steps[0] + steps[1]
        """,
    ),
    "a pause with a list": (
        "with autograd.pause():\n    parts = [x * 2, F.exp(x)]\nreturn x * parts[0] + parts[1]",
        """
        with autograd.pause():
            parts = [F.BlockGrad(x * 2), F.BlockGrad(F.exp(x))]
        return x * parts[0] + parts[1]
        """,
    ),
    "a pause with a comprehension": (
        "with autograd.pause():\n    parts = [F.exp(x) * k for k in range(3)]\nreturn x * parts[0] + parts[1]",
        """
        with autograd.pause():
            parts = [F.BlockGrad(F.exp(x) * k) for k in range(3)]
        return x * parts[0] + parts[1]
        """,
    ),
    "a pause that returns": (
        "with autograd.pause():\n    z = F.exp(x)\n    return x + z, z",
        """
        with autograd.pause():
            z = F.exp(x)
            return F.BlockGrad(x + z), F.BlockGrad(z)
        """,
    ),
    "a pause with what a loop computes": (
        "with autograd.pause():\n    z = x * 2\n    for k in range(3):\n        z = F.exp(z) * k\nreturn x + z",
        """
        with autograd.pause():
            z = x * 2
            for k in range(3):
                z = F.exp(z) * k
            z = F.BlockGrad(z)
        return x + z
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), PAUSES.values(), ids=PAUSES.keys())
def test_pauses(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_a_pause_that_makes_nothing_is_left() -> None:
    body = "with autograd.pause():\n    z = x\nreturn z + x"
    assert fixed(body) == body


def test_a_pause_that_unpacks_inputs_is_left() -> None:
    """Inputs keep the gradient that they had before the scope."""
    body = "with autograd.pause():\n    a, b = x, x * 2\nreturn a + b"
    assert fixed(body) == body


KEPT = {
    "an input by another name": "with autograd.pause():\n    z = x\n    w = x * 2\nreturn z + w",
    "an input in a list": "with autograd.pause():\n    parts = [x, x * 2]\nreturn parts[0] + parts[1]",
    "an input that is listed": "parts = []\nwith autograd.pause():\n    parts.append(x)\n    parts.append(x * 2)\n"
    "return parts[0] + parts[1]",
    "an input that is returned": "with autograd.pause():\n    z = x * 2\n    return x, z",
    "a tensor from before, by a loop": "z = x * 2\nwith autograd.pause():\n    for k in range(self.n):\n"
    "        z = F.exp(z)\nreturn z + x",
    "an unpacked input that is listed": "parts = []\nwith autograd.pause():\n    a, b = x, x * 2\n"
    "    parts.append(a)\n    parts.append(b)\nreturn parts[0] + parts[1]",
    "an attribute": "with autograd.pause():\n    z = x * 2\n    self.last = z\nreturn z + x",
}


@pytest.mark.parametrize("body", KEPT.values(), ids=KEPT.keys())
def test_a_pause_that_may_let_inputs_out_is_left(body: str) -> None:
    """Inputs keep the gradient that they had before the scope."""
    assert fixed(body) == body


CHILDREN = """
from mxnet import autograd
from mxnet.gluon import HybridBlock


class Child(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.scale = known_elsewhere()

    def hybrid_forward(self, F, x):
        return x * 2


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.child = Child()

    def hybrid_forward(self, F, x):
        with autograd.pause():
            z = self.child(x)
        return z + x
"""


def test_making_a_child_says_nothing_of_the_mode() -> None:
    """Its `__init__` is interpreted where the child is first called."""
    assert "            z = F.BlockGrad(self.child(x))\n        return" in fixed_text(CHILDREN)
