"""Namedtuples that compiled blocks have made lists are made again where their names are read."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

FILE = """
from collections import namedtuple

from mxnet import gluon
from mxnet.gluon import HybridBlock

Normal = namedtuple("Normal", ["mean", "scale"])


class Head(HybridBlock):
    def hybrid_forward(self, F, x):
        return Normal(F.tanh(x), F.exp(x))


class Net(gluon.Block):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.head = Head()

    def forward(self, xs):
"""
STEP = (
    FILE
    + """        return self.head(xs)


def step(net, xs):
"""
)

MADE = {
    "bound to a name": (
        "        out = self.head(xs)\n        return out.mean / out.scale\n",
        "        out = Normal(*self.head(xs))\n        return out.mean / out.scale\n",
    ),
    "read of the call": (
        "        return self.head(xs).mean\n",
        "        return Normal(*self.head(xs)).mean\n",
    ),
    "in a loop": (
        "        means = []\n        for x in xs:\n            out = self.head(x)  # one level\n"
        "            means.append(out.mean * out.scale)\n        return means\n",
        "        means = []\n        for x in xs:\n            out = Normal(*self.head(x))  # one level\n"
        "            means.append(out.mean * out.scale)\n        return means\n",
    ),
    "in a loop of known steps": (
        "        means = []\n        for k, x in zip((1, 2), xs):\n            out = self.head(x)\n"
        "            means.append(out.mean * k)\n        return means\n",
        "        means = []\n        for k, x in zip((1, 2), xs):\n            out = Normal(*self.head(x))\n"
        "            means.append(out.mean * k)\n        return means\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), MADE.values(), ids=MADE.keys())
def test_a_list_becomes_the_namedtuple_again(before: str, after: str) -> None:
    assert fixed_text(FILE + before) == FILE + after


def test_a_block_that_is_not_known_asks_for_unsafe_fixes() -> None:
    before, after = (f"{STEP}    out = {out}\n    return out.mean\n" for out in ("net(xs)", "Normal(*net(xs))"))
    assert fixed_text(before) == before
    assert fixed_text(before, unsafe=True) == after


UNTOUCHED = {
    "a name that is bound twice": (
        "        out = self.head(xs)\n        if self.n:\n            out = self.head(xs * 2)\n"
        "        return out.mean\n"
    ),
    "a name bound with another": "        out = both = self.head(xs)\n        return out.mean, both\n",
    "blocks of a loop": (
        "        for head in (self.head, self.head):\n            out = head(xs)\n            xs = out.mean\n"
        "        return xs\n"
    ),
    "unpacked": "        mean, scale = self.head(xs)\n        return mean / scale\n",
}


@pytest.mark.parametrize("body", UNTOUCHED.values(), ids=UNTOUCHED.keys())
def test_untouched(body: str) -> None:
    assert fixed_text(FILE + body) == FILE + body


def test_two_classes_with_the_same_names_are_told_apart_by_nobody() -> None:
    body = "        out = self.head(xs)\n        return out.mean\n"
    text = FILE.replace("class Head", 'Other = namedtuple("Other", ["mean", "scale"])\n\n\nclass Head') + body
    assert fixed_text(text) == text
