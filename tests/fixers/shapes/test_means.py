"""The fixer of sums that are divided by the number of their elements."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, lines

MEANS = {
    "of all elements": ("return x.sum() / x.size", "return x.mean()"),
    "along the counted axis": ("return F.sum(x, axis=1) / x.shape[1]", "return F.mean(x, axis=1)"),
    "that keeps the axis": (
        "return x.sum(axis=-1, keepdims=True) / x.shape[-1]",
        "return x.mean(axis=-1, keepdims=True)",
    ),
    "of the rows": ("z = F.relu(x)\nreturn F.sum(z, 0) / len(z)", "z = F.relu(x)\nreturn F.mean(z, 0)"),
    "by a converted size": ("return x.sum(axis=1) / float(x.shape[1])", "return x.mean(axis=1)"),
    "along two axes": (
        "return x.sum(axis=(2, 3)) / (x.shape[2] * x.shape[3])",
        "return x.mean(axis=(2, 3))",
    ),
    "by one size after the other": (
        "h, w = x.shape[2:]\nreturn x.sum(axis=(2, 3)) / h / w",
        "return x.mean(axis=(2, 3))",
    ),
    "along an axis that a reshape merged": (
        "b, c, h, w = x.shape\nreturn x.reshape((b, c, h * w)).sum(axis=2) / (h * w)",
        "return x.reshape((0, 0, -3)).mean(axis=2)",
    ),
    "several in one function": (
        """
        b, c, h, w = x.shape
        z = x.reshape((b, c, -1))
        m = z.sum(axis=-1) / (h * w)
        v = (z * z).sum(axis=-1) / (h * w)
        return m, v, F.sum(x, axis=1, keepdims=True) / c, (x * x).sum() / (b * c * h * w)
        """,
        """
        z = x.reshape((0, 0, -1))
        m = z.mean(axis=-1)
        v = (z * z).mean(axis=-1)
        return m, v, F.mean(x, axis=1, keepdims=True), (x * x).mean()
        """,
    ),
    "of a square": ("return F.sum(x * 2, axis=0) / x.shape[0]", "return F.mean(x * 2, axis=0)"),
}


@pytest.mark.parametrize(("before", "after"), MEANS.values(), ids=MEANS.keys())
def test_a_mean(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


def test_a_mean_in_numpy_mode() -> None:
    names = "b, t, c = x.shape\nreturn x.sum(axis=(1, 2)) / (t * c), F.np.sum(x, axis=1) / t"
    assert fixed(names, numpy=True) == "return x.mean(axis=(1, 2)), F.np.mean(x, axis=1)"
    assert fixed("return F.np.sum(x, axis=1) / x.shape[1]", numpy=True) == "return F.np.mean(x, axis=1)"


OTHERS = {
    "another size of it": "b, t, c = x.shape\nreturn x.sum(axis=2) / t",
    "more than it adds up": "b, t, c = x.shape\nreturn x.sum(axis=2) / (t * c)",
    "another axis": "return F.sum(x, axis=0) / x.shape[1]",
    "another tensor": "z = F.relu(y)\nreturn F.sum(z, axis=0) / x.shape[0]",
    "several axes": "return F.sum(x, axis=(0, 1)) / x.shape[0]",
    "all but one axis": "return F.sum(x, axis=0, exclude=True) / x.shape[0]",
    "the end of an axis and its number": "return F.sum(x, axis=-1) / x.shape[1]",
    "the sum of a product of two": "return F.sum(x * y, axis=0) / x.shape[0]",
    "the number below": "return x.shape[0] / F.sum(x, axis=0)",
}


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS.keys())
def test_no_mean(body: str) -> None:
    assert "mean" not in fixed(body, unsafe=True)
