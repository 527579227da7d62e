"""The fixers of calls of methods: other names for the same, arguments that go."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

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
