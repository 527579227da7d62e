"""Masks of what comes later: a triangle that numpy makes becomes a comparison of positions."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed

MASKS = {
    "below the diagonal, and on it": ("np.tril(np.ones((n, n)))", "broadcast_greater_equal"),
    "below the diagonal alone": ("np.tril(np.ones((n, n)), -1)", "broadcast_greater"),
    "above the diagonal, and on it": ("np.triu(np.ones((n, n)))", "broadcast_lesser_equal"),
    "above the diagonal alone, cast": ('np.triu(np.ones((n, n)), k=1).astype("uint8")', "broadcast_lesser"),
    "all that is not above it": ('np.triu(np.ones((n, n), dtype="uint8"), k=1) == 0', "broadcast_greater_equal"),
    "one less what is below": ("1 - np.tril(np.ones((n, n)))", "broadcast_lesser"),
}


@pytest.mark.parametrize(("mask", "operator"), MASKS.values(), ids=MASKS.keys())
def test_masks(mask: str, operator: str) -> None:
    after = "".join(fixed(f"n = x.shape[1]\nmask = nd.array({mask}, ctx=x.context)\nreturn x + mask").split())
    rows = "F.expand_dims(F.contrib.arange_like(x,axis=1),axis=1)"
    columns = "F.expand_dims(F.contrib.arange_like(x,axis=1),axis=0)"
    made = f"mask=F.{operator}({rows},{columns})"
    assert after.replace(",)", ")") in {f"{made}return{total}" for total in ("x+mask", "F.broadcast_add(x,mask)")}


def test_axes_of_size_1_in_front_are_inserted() -> None:
    after = "".join(fixed("n = x.shape[2]\nreturn x * nd.array(np.tril(np.ones((1, 1, n, n))))").split())
    assert "F.expand_dims(F.expand_dims(F.broadcast_greater_equal(" in after
    assert after.replace(",)", ")").endswith(",axis=0),axis=0)")


LEFT = {
    "no square": "nd.array(np.tril(np.ones((n, 4))))",
    "another diagonal": "nd.array(np.tril(np.ones((n, n)), k=2))",
    "other numbers": "nd.array(np.tril(np.full((n, n), 2.0)))",
    "several in front": "nd.array(np.tril(np.ones((2, n, n))))",
    "made by a function of the file": "made(np.tril(np.ones((n, n))))",
}


@pytest.mark.parametrize("mask", LEFT.values(), ids=LEFT.keys())
def test_left_alone(mask: str) -> None:
    assert "arange_like" not in fixed(f"n = x.shape[1]\nreturn x + {mask}", unsafe=True)
