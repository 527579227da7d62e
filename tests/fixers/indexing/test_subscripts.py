"""Subscripts as operators: what is written for which keys, with comments, nesting and long lines."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

SAFE = {
    "column": ("return x[:, 0]", "return F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1)"),
    "last": ("return x[..., -1]", "return F.squeeze(F.slice_axis(x, axis=-1, begin=-1, end=None), axis=-1)"),
    "an axis that is inserted again": (
        "return F.concat(x[:, 0].expand_dims(1), F.expand_dims(y[:, 1], axis=1))",
        "return F.concat(F.slice(x, begin=(None, 0), end=(None, 1)), F.slice(y, begin=(None, 1), end=(None, 2)))",
    ),
    "another axis that is inserted": (
        "return x[:, 0].expand_dims(0)",
        "return F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1).expand_dims(0)",
    ),
    "of a sum": ("return (x + 1)[:, None]", "return F.expand_dims(x + 1, axis=1)"),
    "of a subscript": (
        "return x[:, None][:, :, 0]",
        "return F.squeeze(F.slice_axis(F.expand_dims(x, axis=1), axis=2, begin=0, end=1), axis=2)",
    ),
    "beside a method": ("return x[:, 1:3].sum()", "return F.slice(x, begin=(None, 1), end=(None, 3)).sum()"),
    "one axis of several": ("return x[1:3, :, None]", "return F.expand_dims(F.slice(x, begin=(1,), end=(3,)), axis=2)"),
    "two that are dropped": (
        "return x[:, 0, 1]",
        "return F.squeeze(F.slice(x, begin=(None, 0, 1), end=(None, 1, 2)), axis=(1, 2))",
    ),
    "with a comment": (
        "return x[  # why\n    :, 0]",
        """
        return F.squeeze(
            F.slice_axis(x, axis=1, begin=0, end=1),  # why
            axis=1,
        )
        """,
    ),
    "of what stands on several lines": (
        """
        return F.broadcast_add(
            x,  # one
            y,  # other
        )[:, None]
        """,
        """
        return F.expand_dims(F.broadcast_add(
            x,  # one
            y,  # other
        ), axis=1)
        """,
    ),
    "a mask": ("return x[y > 0]", "return F.take(x, y > 0, axis=0, mode='wrap')"),
    "listed rows": (
        "return x[[0, 2], :]",
        "return x[[0, 2], :]",
    ),
}


@pytest.mark.parametrize(("before", "after"), SAFE.values(), ids=SAFE.keys())
def test_safe(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_an_element_of_each_row() -> None:
    body = "return x[F.arange(4), y.argmax(axis=1)] * 2"
    after = """
        return F.gather_nd(x, F.stack(F.arange(4).astype("float32"), y.argmax(axis=1).astype("float32"), axis=0)) * 2
        """
    assert fixed(body) == body
    assert fixed(body, unsafe=True) == lines(after)


def test_positions_with_an_axis_to_broadcast() -> None:
    body = "return x[F.arange(4).reshape((4, 1)), y.argmax(axis=1)] * 2"
    assert fixed(body, unsafe=True) == body
