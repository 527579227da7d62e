"""Guards on data that return early, where nothing else happens behind them."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "of one element": (
        "n = x.sum()\nif n == 0:\n    return F.sum(y) * 0  # nothing\nreturn F.sum(y) / n",
        """
        n = x.sum()
        early = F.sum(y) * 0  # nothing
        return F.where(n == 0, early, F.sum(y) / (n + (n == 0)))
        """,
    ),
    "of the shape of an input": (
        "if x.sum() == 0:\n    return F.zeros_like(y)\nz = F.exp(y)\nreturn -(y - z) * y",
        """
        early = F.zeros_like(y)
        z = F.exp(y)
        return F.where(F.broadcast_mul(F.ones_like(early), x.sum() == 0), early, -(y - z) * y)
        """,
    ),
    "reduced along one axis, the divisor as a function": (
        "if x.sum() == 0:\n    return y.sum(axis=1)\nz = F.broadcast_div(y.mean(axis=1), F.sum(x))\nreturn z * 2",
        """
        early = y.sum(axis=1)
        z = F.broadcast_div(y.mean(axis=1), F.sum(x) + (x.sum() == 0))
        return F.where(F.broadcast_mul(F.ones_like(early), x.sum() == 0), early, z * 2)
        """,
    ),
    "of two results, for a count below 1": (
        "n = x.sum()\nif n < 1:\n    return F.sum(y) * 0, y\nreturn F.sum(y) / n, y * 2",
        """
        n = x.sum()
        early_0 = F.sum(y) * 0
        early_1 = y
        return (
            F.where(n < 1, early_0, F.sum(y) / (n + (n < 1))),
            F.where(F.broadcast_mul(F.ones_like(early_1), n < 1), early_1, y * 2),
        )
        """,
    ),
    "of a number that is read": (
        "n = x.sum().asscalar()\nif n < 1:\n    return F.sum(y) * 0\nreturn F.sum(y) / n",
        """
        n = F.BlockGrad(x.sum())
        early = F.sum(y) * 0
        return F.where(n < 1, early, F.sum(y) / (n + (n < 1)))
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


LEFT = {
    "other axes": "if x.sum() == 0:\n    return y.sum(axis=1)\nreturn y.sum(axis=2)",
    "the count in a function with no finite gradient": (
        "n = x.sum()\nif n == 0:\n    return F.sum(y)\nreturn F.log(n) * F.sum(y)"
    ),
    "the count is bound again": "n = x.sum()\nif n == 0:\n    return F.sum(y)\nn = y.sum()\nreturn F.sum(y) / n",
    "a child is called behind it": "if x.sum() == 0:\n    return y * 0\nz = self.child(y)\nreturn y + 1",
    "another bound, and a function with no finite gradient": (
        "n = x.sum()\nif n < 3:\n    return F.sum(y)\nreturn F.sum(y) / F.sqrt(n)"
    ),
}


@pytest.mark.parametrize("body", LEFT.values(), ids=LEFT.keys())
def test_left_alone(body: str) -> None:
    assert "F.where" not in fixed(body, unsafe=True)
