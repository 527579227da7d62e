"""The fixers of calls of methods: other names for the same, arguments that go."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

SAFE = {
    "T of a sum": ("return (x + 1).T", "return (x + 1).transpose()"),
    "T of a call": ("return F.relu(x).T", "return F.relu(x).transpose()"),
    "T with a comment": (
        "return (x + 1  # one\n        ).T",
        "return (x + 1  # one\n        ).transpose()",
    ),
    "waiting alone": ("x.wait_to_read()\nreturn x * 2", "return x * 2"),
    "an argument that goes": ("z = x * 1\nF.relu(x, out=z)\nreturn z", "z = x * 1\nz = F.relu(x)\nreturn z"),
    "an argument with a comment that goes": (
        """
        z = x * 1
        F.clip(
            x,  # data
            0,
            1,
            out=z,  # into it
        )
        return z
        """,
        """
        z = x * 1
        z = F.clip(
            x,  # data
            0,
            1,  # into it
        )
        return z
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


NUMPY = {
    "any": ("return x.any(axis=1)", "return F.np.any(x, axis=1)"),
    "any of a sum": ("return (x + y).any()", "return F.np.any(x + y)"),
    "broadcast_to": ("return x.broadcast_to((2, 3))", "return F.np.broadcast_to(x, (2, 3))"),
}


@pytest.mark.parametrize(("before", "after"), NUMPY.values(), ids=NUMPY.keys())
def test_numpy_mode(before: str, after: str) -> None:
    assert fixed(before, numpy=True) == lines(after)


OBJECT = """\
from mxnet import nd
from mxnet.gluon import HybridBlock, nn


class Normal:
    def __init__(self, mu, sigma, F=None):
        self.mu = mu
        self.sigma = sigma
        self.F = F or nd

    def loss(self, x):
        F = self.F
        z = (x - self.mu) / self.sigma
        return {loss}


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.mu = nn.Dense(2)
        self.sigma = nn.Dense(2)

    def hybrid_forward(self, F, x, y):
        return Normal(self.mu(x), self.sigma(x)).loss(y)
"""
OF_OBJECTS = {
    "functions of one tensor": ("F.square(z) + F.log(self.sigma)", "z.square() + self.sigma.log()"),
    "with a keyword": ("F.sum(z, axis=1)", "z.sum(axis=1)"),
    "of an expression": (
        "F.square(  # z\n            z - 1\n        )",
        "(  # z\n            (z - 1).square()\n        )",
    ),
    "of two tensors": ("F.maximum(z, self.mu)", "F.maximum(z, self.mu)"),
    "by position": ("F.sum(z, 1)", "F.sum(z, 1)"),
}


@pytest.mark.parametrize(("before", "after"), OF_OBJECTS.values(), ids=OF_OBJECTS.keys())
def test_functions_of_an_object_without_f_become_methods(before: str, after: str) -> None:
    assert fixed_text(OBJECT.format(loss=before)) == OBJECT.format(loss=after)
