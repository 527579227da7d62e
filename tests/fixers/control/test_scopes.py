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
