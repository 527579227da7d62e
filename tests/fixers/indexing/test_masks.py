"""Sums and means of the elements that a mask selects, in numpy mode."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

MASKS = {
    "a mean": (
        "return x[x > 0].mean()",
        "return F.np.sum(F.np.where(x > 0, x, F.np.zeros_like(x))) / F.np.sum(x > 0)",
    ),
    "a sum": ("return F.np.sum(x[x > 0])", "return F.np.sum(F.np.where(x > 0, x, F.np.zeros_like(x)))"),
    "of a name that is bound again": (
        "z = F.np.exp(x)\nz = z[y > 0].sum()\nreturn z",
        "z = F.np.exp(x)\nz = F.np.sum(F.np.where(y > 0, z, F.np.zeros_like(z)))\nreturn z",
    ),
    "of rows": ("return x[x.sum(axis=1) > 0].mean()", "return x[x.sum(axis=1) > 0].mean()"),
    "over one axis": ("return x[x > 0].mean(axis=0)", "return x[x > 0].mean(axis=0)"),
}


@pytest.mark.parametrize(("before", "after"), MASKS.values(), ids=MASKS.keys())
def test_masks(before: str, after: str) -> None:
    assert fixed(before, unsafe=True, numpy=True) == lines(after)
