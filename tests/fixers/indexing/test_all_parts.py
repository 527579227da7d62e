"""Tensors that are taken apart whole."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

CASES = {
    "rows": (
        """
        z = F.reshape(x, (3, -1))
        q, k, v = z[0], z[1], z[2]
        return q * k + v
        """,
        """
        z = F.reshape(x, (3, -1))
        q, k, v = F.split(z, num_outputs=3, axis=0, squeeze_axis=True)
        return q * k + v
        """,
    ),
    "columns that stay columns": (
        """
        z = F.reshape(x, (-1, 2))
        a, b = z[:, :1], z[:, 1:2]
        return F.broadcast_mul(a, y) + b.sum() * 2
        """,
        """
        z = F.reshape(x, (-1, 2))
        a, b = F.split(z, num_outputs=2, axis=1)
        return F.broadcast_mul(a, y) + b.sum() * 2
        """,
    ),
    "the last axis, whichever it is": (
        """
        left, top, right = x[..., 0], x[..., 1], x[..., 2]
        return (right - left) * top
        """,
        """
        left, top, right = F.split(x, num_outputs=3, axis=-1, squeeze_axis=True)
        return (right - left) * top
        """,
    ),
    "columns of an unknown number, each read by itself": (
        """
        left, top, right = x[:, 0], x[:, 1], x[:, 2]
        return (right - left) * top
        """,
        """
        left, top, right = F.split(x, num_outputs=3, axis=1, squeeze_axis=True)
        return (right - left) * top
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_a_split_takes_all_parts(before: str, after: str) -> None:
    assert "split" in fixed(lines(before), unsafe=True)
    assert fixed(lines(before), unsafe=True).splitlines()[:2] == lines(after).splitlines()[:2]


@pytest.mark.parametrize(
    "body",
    [
        "z = F.reshape(x, (3, -1))\nq, k = z[0], z[1]\nreturn q * k",
        "q, k = x[0], x[1]\nreturn q * k",
        "q, k = x[:, 0], x[:, 1]\nreturn q * k",
        "q, k, v = x[..., 0], x[..., 1], x[..., :1]\nreturn q * k * v",
        "q, k, v = x[:, 0], x[:, 1], x[:, 2]\nreturn q * k * v + x[:, 3:].sum(axis=1)",
        "q, k, v = x[:, 0], x[:, 1], x[:, 2]\nreturn q * k * v + F.sum(x, axis=1)",
        "q, k, v = x[:, 1], x[:, 2], x[:, 3]\nreturn q * k * v",
    ],
)
def test_other_parts_are_cut_out_one_by_one(body: str) -> None:
    assert "split" not in fixed(body, unsafe=True)


def test_parts_of_which_one_is_changed_in_place_are_left_alone() -> None:
    body = "z = F.reshape(x, (2, -1))\nq, k = z[0], z[1]\nk *= 2\nreturn z.sum() + q * k"
    assert "F.split" not in fixed(body, unsafe=True)
