"""Subscripts that Symbols of numpy mode refuse, with comments and nesting."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

CASES = {
    "last": ("return x[-1]", "return F.np.squeeze(x[-1:], axis=0)"),
    "of a sum, before a power": ("return (x + 1)[-1] ** 2", "return F.np.squeeze((x + 1)[-1:], axis=0) ** 2"),
    "True": ("return x[True]", "return F.np.expand_dims(x, 0)"),
    "listed rows": ("return x[[0, -1]]", "return F.np.stack([x[0], x[-1:][0]])"),
    "a new axis": ("return x[:, None]", "return F.np.expand_dims(x, 1)"),
    "two new axes": ("return (x + 1)[None, :, None]", "return F.np.expand_dims(F.np.expand_dims(x + 1, 0), 2)"),
    "a new axis with a comment": (
        "return x[:,  # rows\n    None]",
        """
        return F.np.expand_dims(
            x,  # rows
            1,
        )
        """,
    ),
    "of the last axis": ("return x[..., 1]", "return F.np.moveaxis(x, -1, 0)[1]"),
    "a tensor": (
        "return x[y.astype('int32')]",
        "return F.np.take(x, y.astype('int32'), axis=0, mode='wrap')",
    ),
}


@pytest.mark.parametrize(("before", "after"), CASES.values(), ids=CASES.keys())
def test_subscripts(before: str, after: str) -> None:
    assert fixed(before, unsafe=True, numpy=True) == lines(after)


DOTS = {
    "before a slice": ("z[..., 1:3]", "z[:, :, 1:3]"),
    "between keys that are written out": ("z[1, ..., self.a + 1 :]", "z[1, :, self.a + 1 :]"),
    "before a power": ("z[..., 0] ** 2", "z[:, :, 0] ** 2"),
    "in a tuple": ("z[(..., 1)]", "z[:, :, 1]"),
    "beside a slice that is called": ("z[slice(0, 1), ...]", "z[slice(0, 1), :, :]"),
}


@pytest.mark.parametrize(("before", "after"), DOTS.values(), ids=DOTS.keys())
def test_dots_of_known_rank(before: str, after: str) -> None:
    known = "z = F.np.broadcast_to(x, (2, 3, 4))\nreturn "
    assert fixed(known + before, unsafe=True, numpy=True) == known + after


REFUSED = {
    "a key that is taken": "return x[0]",
    "one from the end": "return x[-2]",
    "a slice": "return x[1:3]",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED.keys())
def test_left_alone(body: str) -> None:
    assert fixed(body, unsafe=True, numpy=True) == body


def test_rows_by_numbers_of_an_unknown_dtype() -> None:
    body = "t = F.np.squeeze(y)\nreturn x[t]"
    assert fixed(body, numpy=True) == body
    after = "t = F.np.squeeze(y)\nreturn F.np.take(x, t, axis=0, mode='wrap')"
    assert fixed(body, unsafe=True, numpy=True).replace('"', "'") == after


def test_what_may_be_a_mask_stays() -> None:
    body = "valid = F.np.squeeze(y)\nreturn x[valid]"
    assert fixed(body, unsafe=True, numpy=True) == body
