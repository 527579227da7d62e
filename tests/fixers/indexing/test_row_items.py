"""A number stored in one item of each row: a choice by column, where the code shows that all rows are counted."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

STORES = {
    "as many numbers as rows": (
        """
        z = F.zeros(x.shape)
        z[F.arange(x.shape[0]), y] = 1
        return z * x
        """,
        """
        z = F.zeros_like(x)
        z = F.where(
            F.broadcast_equal(
                F.expand_dims(y.astype("float32"), axis=1), F.expand_dims(F.contrib.arange_like(z, axis=1), axis=0)
            ),
            F.ones_like(z),
            z,
        )
        return z * x
        """,
    ),
    "another number": (
        """
        z = F.softmax(x)
        z[F.contrib.arange_like(x, axis=0), F.argmax(x, axis=1)] = -4
        return z
        """,
        """
        z = F.softmax(x)
        z = F.where(
            F.broadcast_equal(
                F.expand_dims(F.argmax(x, axis=1).astype("float32"), axis=1),
                F.expand_dims(F.contrib.arange_like(z, axis=1), axis=0),
            ),
            F.ones_like(z) * -4,
            z,
        )
        return z
        """,
    ),
}


@pytest.mark.parametrize(("before", "after"), STORES.values(), ids=STORES.keys())
def test_items(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == lines(after)


OTHERS = {
    "some of the rows": "z = x * 1\nz[F.arange(3), y] = 1\nreturn z",
    "rows of another tensor": "z = x * 1\nz[F.contrib.arange_like(y, axis=0), y] = 1\nreturn z",
    "a tensor of four axes": lines("""
        z = F.Convolution(x, y, num_filter=4, kernel=(1, 1), no_bias=True)
        z[F.contrib.arange_like(x, axis=0), y] = 1
        return z
        """),
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_what_is_no_item_of_each_row(body: str) -> None:
    assert "broadcast_equal" not in fixed(body, unsafe=True)
