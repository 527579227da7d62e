"""Subscripts up to sizes of tensors, as slice_like."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

UNSAFE = {
    "one axis": ("return y[:, : x.shape[1]]", "return F.slice_like(y, x, axes=(1,))"),
    "two axes of one tensor": (
        "return y[: x.shape[0], : x.shape[1]] * 2",
        "return F.slice_like(y, x, axes=(0, 1)) * 2",
    ),
    "axes of two tensors": (
        "return y[: x.shape[0], : y.shape[1]]",
        "return F.slice_like(F.slice_like(y, x, axes=(0,)), y, axes=(1,))",
    ),
    "a product": (
        "return y[:, : 2 * x.shape[1]]",
        """
        return F.slice_like(y, F.reshape(F.repeat(F.contrib.arange_like(x, axis=1), repeats=2), (1, -1)), axes=(1,))
        """,
    ),
    "a part, on a long line": (
        "return y[: x.shape[0] // 2]",
        """
        return F.slice_like(
            y,
            F.reshape(
                F.slice_axis(F.reshape(F.contrib.arange_like(x, axis=0), (-1, 2)), axis=1, begin=0, end=1), (-1,)
            ),
            axes=(0,),
        )
        """,
    ),
    "of a sum": ("return (y + 1)[:, : x.shape[1]].sum()", "return F.slice_like(y + 1, x, axes=(1,)).sum()"),
    "beside a tensor": (
        "return x * y[:, : x.shape[1]]",
        "return F.broadcast_mul(x, F.slice_like(y, x, axes=(1,)))",
    ),
    "with a comment": (
        "return y[:,  # rows\n        : x.shape[1]]",
        """
        return F.slice_like(
            y,  # rows
            x,
            axes=(1,),
        )
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), UNSAFE.values(), ids=UNSAFE.keys())
def test_unsafe(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)
