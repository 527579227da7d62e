"""Updates under a condition on data, with an operand that changes nothing where it does not hold."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

CASES = {
    "a division": (
        "n = F.sum(y > 0)\nif n > 0:\n    x = x / n\nreturn x",
        "n = F.sum(y > 0)\nx = F.broadcast_div(x, F.where(n > 0, n, F.ones_like(n)))\nreturn x",
    ),
    "a division by a function, with a comment": (
        "n = y.sum()\nif n != 0:  # some are left\n    x = F.broadcast_div(x, n)\nreturn x * 2",
        """
        n = y.sum()
        # some are left
        x = F.broadcast_div(x, F.where(n != 0, n, F.ones_like(n)))
        return x * 2
        """,
    ),
    "a product": (
        "scale = F.mean(y)\nif scale < 1:\n    x = F.broadcast_mul(scale, x)\nreturn x",
        "scale = F.mean(y)\nx = F.broadcast_mul(F.where(scale < 1, scale, F.ones_like(scale)), x)\nreturn x",
    ),
    "a difference": (
        "m = F.mean(y)\nif m > 0:\n    x = F.broadcast_sub(x, m)\nreturn x",
        "m = F.mean(y)\nx = F.broadcast_sub(x, F.where(m > 0, m, F.zeros_like(m)))\nreturn x",
    ),
    "in a conditional expression": (
        "n = F.sum(y)\nreturn F.broadcast_div(x, n) if n > 0 else x",
        "n = F.sum(y)\nreturn F.broadcast_div(x, F.where(n > 0, n, F.ones_like(n)))",
    ),
    "the other way": (
        "n = F.sum(y)\nreturn x if n == 0 else F.broadcast_div(x, n)",
        "n = F.sum(y)\nreturn F.broadcast_div(x, F.where(n == 0, F.ones_like(n), n))",
    ),
    "in two returns": (
        "n = F.sum(y)\nif n > 0:\n    return F.broadcast_div(x, n)\nreturn x",
        "n = F.sum(y)\nreturn F.broadcast_div(x, F.where(n > 0, n, F.ones_like(n)))",
    ),
    "of two sides": (
        "n = F.sum(y)\nif n > 0:\n    z = F.broadcast_div(x, n)\nelse:\n    z = x\nreturn z",
        "n = F.sum(y)\nz = F.broadcast_div(x, F.where(n > 0, n, F.ones_like(n)))\nreturn z",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_updates(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


def test_a_count_is_divided_by_safely() -> None:
    before, after = CASES["a division"]
    assert fixed(before) == lines(after)
    before = before.replace("y > 0", "y")
    assert fixed(before) == before


OTHERS = {
    "of a root, with an infinite gradient at 0": "n = F.sqrt(F.sum(y))\nif n > 0:\n    x = x / n\nreturn x",
    "of a quotient": "n = F.sum(y)\nif n > 1:\n    x = F.broadcast_mul(x, 1 / n)\nreturn x",
    "of several numbers": "n = F.sum(y, axis=1)\nif n > 0:\n    x = F.broadcast_div(x, n)\nreturn x",
    "of two axes": "n = F.sum(y, axis=(0, 1), keepdims=True)\nif n > 0:\n    x = F.broadcast_div(x, n)\nreturn x",
    "of a divisor": "n = F.sum(y)\nif n > 0:\n    x = F.broadcast_div(n, x)\nreturn x",
    "of another name": "n = F.sum(y)\nz = x * 2\nif n > 0:\n    z = F.broadcast_div(x, n)\nreturn z",
    "of a number of Python": "n = F.sum(y)\nz = 0\nif n > 0:\n    z = z + n\nreturn x * z",
    "with more": "n = F.sum(y)\nif n > 0:\n    x = F.broadcast_div(x, n)\n    y = y * 2\nreturn x + y",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_no_updates(body: str) -> None:
    assert "_like(n))" not in fixed(body, unsafe=True)
