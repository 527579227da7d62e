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
    "of a name for the elements": (
        "z = F.np.abs(x - y)\nw = z[y > 0]\nreturn F.np.mean(w)",
        """
        z = F.np.abs(x - y)
        w = F.np.where(y > 0, z, F.np.zeros_like(z))
        return F.np.sum(w) / F.np.sum(y > 0)
        """,
    ),
    "of a name for elements that are computed there": (
        "w = F.np.abs(x - y)[y > 0]  # hidden\nreturn w.sum() + 1",
        """
        w = F.np.abs(x - y)
        w = F.np.where(y > 0, w, F.np.zeros_like(w))  # hidden
        return w.sum() + 1
        """,
    ),
    "of a name that is read otherwise": (
        "z = x[y > 0]\nreturn z.mean() + z.max()",
        "z = x[y > 0]\nreturn z.mean() + z.max()",
    ),
    "by a mask that changes": (
        "w = x[y > 0]\ny = y * 2\nreturn w.mean() + y",
        "w = x[y > 0]\ny = y * 2\nreturn w.mean() + y",
    ),
    "of rows": ("return x[x.sum(axis=1) > 0].mean()", "return x[x.sum(axis=1) > 0].mean()"),
    "over one axis": ("return x[x > 0].mean(axis=0)", "return x[x > 0].mean(axis=0)"),
}


@pytest.mark.parametrize(("before", "after"), MASKS.values(), ids=MASKS.keys())
def test_masks(before: str, after: str) -> None:
    assert fixed(before, unsafe=True, numpy=True) == lines(after)
