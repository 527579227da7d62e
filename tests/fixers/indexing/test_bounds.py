"""Bounds that are no numbers in the text, where the operator surely takes the same part."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text

ALIKE = {
    "an open front": (
        "return x[:, :self.k].relu()",
        "return F.slice(x, begin=(None, None), end=(None, self.k)).relu()",
    ),
    "an end counted from behind": (
        "return x[:, 2:-self.k].relu()",
        "return F.slice(x, begin=(None, 2), end=(None, -self.k)).relu()",
    ),
    "one row": (
        "return x[:, self.k:self.k + 1].relu()",
        "return F.slice(x, begin=(None, self.k), end=(None, self.k + 1)).relu()",
    ),
    "both parts": (
        "a, b = x[:, :self.k], x[:, self.k:]\nreturn a.relu(), b.relu()",
        "a, b = F.slice(x, begin=(None, None), end=(None, self.k)), "
        "F.slice_axis(x, axis=1, begin=self.k, end=None)\n"
        "return a.relu(), b.relu()",
    ),
    "a counter": (
        "for t in range(1, self.k):\n    y = y + x[:, t].relu()\nreturn y.relu()",
        "for t in range(1, self.k):\n"
        "    y = F.broadcast_add(y, F.squeeze(F.slice_axis(x, axis=1, begin=t, end=t + 1), axis=1).relu())\n"
        "return y.relu()",
    ),
    "a counter that is another number before": (
        "t = self.k\nfor t in range(1, t):\n    y = y + x[:, t].relu()\nreturn y.relu()",
        "t = self.k\nfor t in range(1, t):\n"
        "    y = F.broadcast_add(y, F.squeeze(F.slice_axis(x, axis=1, begin=t, end=t + 1), axis=1).relu())\n"
        "return y.relu()",
    ),
}


@pytest.mark.parametrize(("before", "after"), ALIKE.values(), ids=ALIKE.keys())
def test_safe(before: str, after: str) -> None:
    assert "".join(fixed(before).split()) == "".join(after.split())


OPEN = {
    "a front that may be negative": "return x[:, self.k:].relu()",
    "the rest of another tensor": "a, b = y[:, :self.k], x[:, self.k:]\nreturn a.relu(), b.relu()",
    "several rows": "return x[:, self.k:self.k + 2].relu()",
    "a step": "return x[:, :self.k:2].relu()",
    "a counter that may be negative": "for t in range(self.j, self.k): y = y + x[:, t].relu()\nreturn y",
}


@pytest.mark.parametrize("body", OPEN.values(), ids=OPEN.keys())
def test_unsafe(body: str) -> None:
    assert body.rpartition("x[:, ")[2].partition("]")[0] in fixed(body)
    assert "F.s" in fixed(body, unsafe=True)


HALVES = """
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, units):
        super().__init__()
        self.units = units
        self.gate = nn.Dense(2 * units)

    def hybrid_forward(self, F, x):
        z = self.gate(x)
        return z[:, :self.units] * z[:, self.units:].sigmoid()
"""


def test_parts_along_one_axis_that_lie_within_it() -> None:
    # Of a layer twice as wide, they would be its equal parts.
    after = fixed_text(HALVES.replace("2 * units", "3 * units"), unsafe=True)
    assert "F.slice_axis(z, axis=1, begin=0, end=self.units)" in after
    assert "z, axis=1, begin=self.units, end=None" in after


def test_a_part_that_may_reach_further() -> None:
    after = fixed_text(HALVES.replace(" * z[:, self.units:].sigmoid()", ""), unsafe=True)
    assert "F.slice(z, begin=(None, None), end=(None, self.units))" in after


FROM_END = {
    "all but the last": (
        "return x[:, :x.shape[1] - 1].relu()",
        "return F.slice_axis(x, axis=1, begin=0, end=-1).relu()",
    ),
    "the last": ("return x[:, x.shape[1] - 1:].relu()", "return F.slice_axis(x, axis=1, begin=-1, end=None).relu()"),
    "by a name": (
        "b, t = x.shape\nreturn x[:, :t - 1].relu()",
        "return F.slice_axis(x, axis=1, begin=0, end=-1).relu()",
    ),
}


@pytest.mark.parametrize(("before", "after"), FROM_END.values(), ids=FROM_END.keys())
def test_a_bound_counted_from_the_end(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after


def test_a_bound_that_a_short_axis_has_not() -> None:
    before = "return x[:, :x.shape[1] - 2].relu()"
    assert fixed(before, unsafe=True) == "return F.slice(x, begin=(None, None), end=(None, -2)).relu()"
    assert fixed(before) == before
