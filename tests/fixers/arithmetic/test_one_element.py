"""The fixers of numbers that Python reads from arrays of numpy."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "a mean": ("return x * x.asnumpy().mean().item()", "return F.broadcast_mul(x, F.BlockGrad(x.mean()))"),
    "of a sum": ("return x + (y + 1).asnumpy().sum()", "return F.broadcast_add(x, F.BlockGrad((y + 1).sum()))"),
    "the integer part": (
        "return x * int((x * 2).asnumpy().max())",
        "return F.broadcast_mul(x, F.trunc(F.BlockGrad((x * 2).max())))",
    ),
    "with a comment": (
        """
        return x * float(
            (x * 2).asnumpy().max()  # most
        )
        """,
        """
        return F.broadcast_mul(
            x,
            F.BlockGrad((x * 2).max()),  # most
        )
        """,
    ),
    "with a name": (
        """
        n = (x - y).asnumpy().sum()[0]
        return x * n
        """,
        """
        n = F.BlockGrad((x - y).sum())
        return F.broadcast_mul(x, n)
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
    assert fixed(before) == lines(before)


UNTOUCHED = {
    "no number": "return x * x.asnumpy()",
    "a number that is no part of each element": "return x * x.asnumpy().argmax()",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed(body, unsafe=True) == body
