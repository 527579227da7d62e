"""The help of a size that is read fits what the code does with it, and says what is missing for a fix."""

from __future__ import annotations

import pytest

from hybridlint.checking.findings import analyze_file
from tests.fixers.bodies import module

ADVICE = {
    "all elements": ("return x / x.size", "F.size_array(x)"),
    "the number of axes": ("return x * x.ndim", "one number of axes"),
    "a grid": ("g = F.arange(x.shape[1] * 3 // 2)\nreturn g", "`F.contrib.arange_like(x, axis=...)` counts"),
    "a grid by a name": ("_, h = x.shape\ng = F.arange(h * 3 // 2)\nreturn g", "`F.contrib.arange_like(x, axis=...)`"),
    "the end of a slice": ("return y[:, 1:x.shape[1] - 1]", "`F.slice_like` cuts a tensor"),
    "the divisor of a mean": ("return y.sum() / (x.shape[0] // 2)", "The mean along an axis"),
    "a branch": ("if x.shape[0] > 3:\n    y = y * 2\nreturn y", "A graph goes one way"),
    "an image": ("return F.contrib.BilinearResize2D(y, height=x.shape[2] - 1, width=3)", 'mode="like"'),
    "a window": ("k = x.shape[2]\nreturn F.Pooling(y, kernel=(k, 1))", "No window of a graph"),
    "a reshape": ("return y.reshape((x.shape[1] // 7, 5, x.shape[0]))", "Use reshape codes: 0 keeps a size"),
}


def _helps(body: str) -> str:
    return " ".join(f.help or "" for f in analyze_file(module(body)) if f.rule.code == "HYB101")


@pytest.mark.parametrize(("body", "advice"), ADVICE.values(), ids=ADVICE.keys())
def test_of_a_use(body: str, advice: str) -> None:
    assert advice in _helps(body)


def test_what_is_missing_is_said_where_nothing_is_fixed() -> None:
    missing = (
        "The number of axes of `x` is not known: declare it in a `# hybridlint: shapes(...)` comment, or call `Net`"
    )
    assert missing in _helps("if x.shape[0] > 3:\n    y = y * 2\nreturn y")
    assert missing not in _helps("return x.reshape((x.shape[0], -1))")
