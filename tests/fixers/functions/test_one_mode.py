"""The fixers of functions that exist in one mode only: other functions, operators, arguments by name."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "a list of parts": ("return F.concatenate([x, y], axis=1)", "return F.concat(x, y, dim=1)"),
    "parts with a star": ("return F.concatenate([x, *y], axis=1)", "return F.concat(x, *y, dim=1)"),
    "parts with comments": (
        """
        return F.concatenate(
            [
                x,  # one
                y,
            ],
            axis=1,  # columns
        )
        """,
        """
        return F.concat(
            x,  # one
            y,
            dim=1,  # columns
        )
        """,
    ),
    "parts in a name": (
        """
        parts = [x, y]
        return F.concatenate(parts)
        """,
        """
        parts = [x, y]
        return F.concat(*parts, dim=0)
        """,
    ),
    "a function as an operator": ("return F.add(x, 1) * 2", "return (x + 1) * 2"),
    "an operator that binds as its place asks": ("return 2 + F.multiply(x, 3)", "return 2 + x * 3"),
    "an operator with a comment": (
        """
        return F.add(x,  # one
                1)
        """,
        """
        return (  # one
            x + 1
        )
        """,
    ),
    "operators in one another": ("return F.subtract(x, F.add(x, 1))", "return F.broadcast_sub(x, x + 1)"),
    "two tensors": ("return F.add(x, -y) * 2", "return F.broadcast_add(x, -y) * 2"),
    "neighbouring axes": ("return F.moveaxis(x, 0, 1)", "return F.swapaxes(x, 0, 1)"),
    "axes that move far": (
        """
        a = F.ones((2, 3, 4))
        return F.moveaxis(a, 0, 2), x + 1
        """,
        """
        a = F.ones((2, 3, 4))
        return F.transpose(a, axes=(1, 2, 0)), x + 1
        """,
    ),
    "isnan": ("return F.contrib.isnan(x)", "return x != x"),
    "isfinite beside an operator": ("return F.contrib.isfinite(x) * 2", "return (x - x == 0) * 2"),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


ARGUMENTS = {
    "a default that differs": ("return F.random.multinomial(x)", "return F.random.multinomial(x, get_prob=False)"),
    "an axis": ("return F.sort(x)", "return F.sort(x, axis=-1)"),
    "an axis behind a comment": (
        """
        return F.sort(
            x,  # all
        )
        """,
        """
        return F.sort(
            x,  # all
            axis=-1,
        )
        """,
    ),
    "an axis behind a generator": (
        "return F.sort(F.concat(*(r for r in (x, y))))",
        "return F.sort(F.concat(*(r for r in (x, y))), axis=-1)",
    ),
    "one random number": (
        "return x * F.random.uniform(0, 1)",
        "return F.broadcast_mul(x, F.random.uniform(0, 1, shape=(1,)))",
    ),
    "one random number with a comment": (
        """
        return x * F.random.uniform(
            0,
            1,  # one
        )
        """,
        """
        return F.broadcast_mul(x, F.random.uniform(
            0,
            1,  # one
            shape=(1,),
        ))
        """,
    ),
    "random numbers written into an array": (
        """
        z = x * 1
        F.random.uniform(0, 1, out=z)
        return z
        """,
        """
        z = x * 1
        z = F.random.uniform_like(z, low=0, high=1)
        return z
        """,
    ),
    "a comment at an argument that goes": (
        """
        z = x * 1
        F.random.normal(
            loc=0,
            out=z,  # into it
            scale=2,
        )
        return z
        """,
        """
        z = x * 1
        # into it
        z = F.random.normal_like(z, loc=0, scale=2)
        return z
        """,
    ),
    "an array that is returned": (
        """
        z = F.zeros_like(x)
        return F.relu(x, out=z)
        """,
        """
        z = F.zeros_like(x)
        return F.relu(x)
        """,
    ),
    "a context": (
        """
        w = F.zeros((2, 3), mx.cpu(0))
        return x + w
        """,
        """
        w = F.zeros((2, 3), ctx=mx.cpu(0) if F is mx.nd else None)
        return x + w
        """,
    ),
    "no gradient": (
        "return F.histogram(x, bins=3, range=(0, 1))[0]",
        "return [F.BlockGrad(part) for part in F.histogram(x, bins=3, range=(0, 1))][0]",
    ),
}


@pytest.mark.parametrize(("before", "after"), ARGUMENTS.values(), ids=ARGUMENTS.keys())
def test_arguments(before: str, after: str) -> None:
    assert fixed(before) == lines(after)
