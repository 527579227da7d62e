"""Methods that change a setting of their block: they drop the graph, which holds the old value."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_or_kept_eager

NET = """\
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.rate = 0.5
        self.fc = nn.Dense(3)

    def {method}:
        {change}

    def hybrid_forward(self, F, x):
        return F.Dropout(self.fc(x), p=self.rate)
"""
DROP = "\n        self._clear_cached_op()"

METHODS = {
    "a method": ("set_rate(self, rate)", "self.rate = min(rate, 0.9)"),
    "with a comment": ("set_rate(self, rate)", "self.rate = rate  # of the next epochs"),
    "a step": ("anneal(self)", "self.rate *= 0.5"),
}


@pytest.mark.parametrize(("method", "change"), METHODS.values(), ids=METHODS.keys())
def test_the_graph_is_dropped(method: str, change: str) -> None:
    before, after = (NET.format(method=method, change=text) for text in (change, change + DROP))
    assert fixed_or_kept_eager(before, unsafe=True) == after
    assert fixed_or_kept_eager(before) == before


OTHER = """

class Outer(HybridBlock):
    def __init__(self):
        super().__init__()
        self.net = Net()
        self.head = nn.Dense(2)

    def hybrid_forward(self, F, x):
        return self.head(self.net(x))
"""


def test_a_graph_that_another_class_holds() -> None:
    """The outer block's graph keeps the value: both stay eager."""
    after = fixed_or_kept_eager(
        NET.format(method="set_rate(self, rate)", change="self.rate = rate") + OTHER, unsafe=True
    )
    assert "_clear_cached_op" not in after
    assert after.count("def hybridize") == 2


def test_a_change_at_each_call() -> None:
    change = "self.rate = 1 / x.shape[0]\n        return super().__call__(x)"
    after = fixed_or_kept_eager(NET.format(method="__call__(self, x)", change=change), unsafe=True)
    assert "# Each call reads `self.rate` anew, which a graph would not" in after
    assert "_clear_cached_op" not in after
