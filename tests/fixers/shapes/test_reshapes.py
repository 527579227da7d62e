"""Reshapes to sizes that are read: what is written for which sizes, with comments, nesting and long lines."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "several integers": ("return x.reshape(2, 3)", "return x.reshape((2, 3))"),
    "several integers beside an option": (
        "return x.reshape(2, 3, reverse=True)",
        "return x.reshape((2, 3), reverse=True)",
    ),
    "several integers with comments": (
        """
        return x.reshape(
            0,  # batch
            -1,  # the rest
        )
        """,
        """
        return x.reshape((
            0,  # batch
            -1,  # the rest
        ))
        """,
    ),
    "first axis": ("return x.reshape((x.shape[0], -1))", "return x.reshape((0, -1))"),
    "in a list": ("return x.reshape([x.shape[0], -1])", "return x.reshape([0, -1])"),
    "merged axes": (
        "return x.reshape(x.shape[0], x.shape[1] * x.shape[2], -1)",
        "return x.reshape((0, -3, -1))",
    ),
    "beside another size": (
        "return x.reshape((x.shape[0], self.groups + 1, -1))",
        "return x.reshape((0, self.groups + 1, -1))",
    ),
    "sizes with comments": (
        """
        return x.reshape(
            x.shape[0],  # batch
            -1,  # the rest
        )
        """,
        """
        return x.reshape((
            0,  # batch
            -1,  # the rest
        ))
        """,
    ),
    "a tuple with comments": (
        """
        return F.reshape(
            x,  # data
            shape=(x.shape[0],  # batch
                   -1))  # the rest
        """,
        """
        return F.reshape(
            x,  # data
            shape=(0,  # batch
                   -1))  # the rest
        """,
    ),
    "a whole shape": ("return y.reshape(x.shape)", "return y.reshape_like(x)"),
    "of a sum": ("return (y + 1).reshape(x.shape)", "return (y + 1).reshape_like(x)"),
    "of a sum by a function": ("return F.reshape(y + 1, x.shape)", "return F.reshape_like(y + 1, x)"),
    "a whole shape with a comment": (
        "return y.reshape((  # as\n    x.shape))",
        """
        return y.reshape_like(  # as
            x
        )
        """,
    ),
    "sizes of another tensor": (
        "return y.reshape((x.shape[0], x.shape[1]))",
        "return F.reshape_like(y, x, lhs_begin=0, lhs_end=None, rhs_begin=0, rhs_end=2)",
    ),
    "in another order": (
        "return x.reshape((x.shape[1], x.shape[0])) * 2",
        "return F.reshape_like(x, F.swapaxes(x, 0, 1), lhs_begin=0, lhs_end=None, rhs_begin=0, rhs_end=2) * 2",
    ),
    "sizes and a number": (
        "return y.reshape((x.shape[0], 3))",
        "return y.reshape((-1, 3))",
    ),
    "on a long line": (
        "return y.reshape((x.shape[0], 3 * x.shape[1]))",
        """
        return F.reshape_like(
            y,
            F.broadcast_like(
                F.reshape(F.contrib.arange_like(x, axis=0), (-1, 1)),
                F.repeat(F.contrib.arange_like(x, axis=1), repeats=3),
                lhs_axes=(1,),
                rhs_axes=(0,),
            ),
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_codes_for_what_shares_its_first_axes() -> None:
    assert fixed("return (x * 2).reshape((x.shape[0], 3, -1))") == "return (x * 2).reshape((0, 3, -1))"


REFUSED = {
    "two sizes to be inferred": "return x.reshape((-1, -1, x.shape[0]))",
    "a sum of sizes": "return y.reshape((x.shape[0] + 1, -1))",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_refused(body: str) -> None:
    assert fixed(body, unsafe=True) == body
