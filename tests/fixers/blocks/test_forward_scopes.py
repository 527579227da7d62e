"""Train mode around the whole call of a block."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

BASE = """from mxnet import autograd
from mxnet.gluon import HybridBlock, nn


class Base(HybridBlock):
    def __init__(self):
        super().__init__()
        self.body = nn.HybridSequential()
        self.body.add(nn.Dense(8), nn.Dropout(0.3))
        self.mean = nn.Dense(1)

    def hybrid_forward(self, F, x):
        return self.mean(self.body(x))


"""
SAMPLES = """class Samples(HybridBlock):
    def __init__(self, base, n=4):
        super().__init__()
        self.base = base
        self.n = n
        self.drop = nn.Dropout(0.5)
        self.out = nn.Dense(2)
{forward}
    def hybrid_forward(self, F, x):
        {first}
        means = []
{loop}
        means = F.concat(*means, dim=1)
        return {last}
"""
NET = """

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.samples = Samples(Base())

    def hybrid_forward(self, F, x):
        return self.samples(x)
"""
FORWARD = """
    def forward(self, *args):
        with autograd.train_mode():
            return super().forward(*args)
"""
LOOP = "        for _ in range(self.n):\n            means.append(self.base(x))"
SCOPE = """        with autograd.train_mode():
            for _ in range(self.n):
                means.append(self.base(x))"""


def _text(first: str, last: str, *, after: bool = False) -> str:
    forward, loop = (FORWARD, LOOP) if after else ("", SCOPE)
    return BASE + SAMPLES.format(forward=forward, loop=loop, first=first, last=last)


ALONE = {
    "operators": ("x = F.relu(x)", "F.mean(means, axis=1)"),
    "methods": ("x = x * 2", "means.mean(axis=1)"),
    "a layer that ignores the mode": ("x = x + 1", "self.out(means)"),
}
#: What asks for the mode outside of the scope.
OTHERS = {
    "a layer": ("x = self.drop(x)", "F.mean(means, axis=1)"),
    "an operator": ("x = F.Dropout(x, p=0.2)", "F.mean(means, axis=1)"),
    "a block of the project": ("x = self.base(x)", "F.mean(means, axis=1)"),
    "a helper": ("x = prepared(x)", "F.mean(means, axis=1)"),
}


@pytest.mark.parametrize(("first", "last"), ALONE.values(), ids=ALONE.keys())
def test_forward_enters_the_scope(first: str, last: str) -> None:
    assert fixed_text(_text(first, last)) == _text(first, last, after=True)


@pytest.mark.parametrize(("first", "last"), OTHERS.values(), ids=OTHERS.keys())
def test_what_asks_for_the_mode_outside_keeps_it(first: str, last: str) -> None:
    assert "def forward" not in fixed_text(_text(first, last))


def test_a_part_of_another_graph_stays() -> None:
    assert "def forward" not in fixed_text(_text("x = x * 2", "F.mean(means, axis=1)") + NET)
