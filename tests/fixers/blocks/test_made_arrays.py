"""How constructors make arrays, and how they register them."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

NET = """from mxnet import nd
from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, size, given):
        super().__init__()
        self.fc = nn.Dense(size)
{making}

    def hybrid_forward(self, F, x{argument}):
        return self.fc(F.broadcast_add(x, {table}))
"""

REGISTERED = {
    "made at once": (
        "        self.table = nd.arange(size)",
        '        self.table = self.params.get_constant("table", nd.arange(size))',
    ),
    "made under a name": (
        "        places = nd.zeros((1, size))\n        places[:, 0] = 1\n        self.table = places",
        "        places = nd.zeros((1, size))\n        places[:, 0] = 1\n"
        '        self.table = self.params.get_constant("table", places)',
    ),
    "made with another": (
        "        self.table, self.ones = nd.arange(size), nd.ones((1,))",
        "        table, self.ones = nd.arange(size), nd.ones((1,))\n"
        '        self.table = self.params.get_constant("table", table)',
    ),
    "made with others by a function": (
        "        self.table, self.size = nd.split(nd.arange(size), 2)",
        "        table, self.size = nd.split(nd.arange(size), 2)\n"
        '        self.table = self.params.get_constant("table", table)',
    ),
    "made, then filled": (
        "        self.table = nd.zeros((1, size))\n        for k in range(size):\n            self.table[:, k] = k\n"
        "        self.size = size",
        "        table = nd.zeros((1, size))\n        for k in range(size):\n            table[:, k] = k\n"
        '        self.table = self.params.get_constant("table", table)\n        self.size = size',
    ),
}


@pytest.mark.parametrize(("before", "after"), REGISTERED.values(), ids=REGISTERED.keys())
def test_arrays_become_constants(before: str, after: str) -> None:
    fixed = fixed_text(NET.format(making=before, argument="", table="self.table"), unsafe=True)
    assert fixed == NET.format(making=after, argument=", table", table="table")


@pytest.mark.parametrize(
    "making",
    [
        "        self.table = given",
        "        self.table = nd.zeros((1, size))\n        self.twin = self.table",
        "        table = 3\n        self.table = nd.zeros((1, size))\n        self.table[:, 0] = table",
        "        self.table = nd.zeros((1, size))\n        self.table = nd.ones((1, size))",
    ],
)
def test_other_arrays_are_left_alone(making: str) -> None:
    assert "get_constant" not in fixed_text(NET.format(making=making, argument="", table="self.table"), unsafe=True)


def test_an_attribute_of_another_class_is_another_array() -> None:
    text = NET.format(making="        self.table = nd.arange(size)", argument="", table="self.table")
    other = "\n\nclass Other:\n    def __init__(self):\n        self.table = {}\n"
    assert "get_constant" in fixed_text(text + other, unsafe=True)
    heir = "\n\nclass Heir(Net):\n    def double(self):\n        self.table = self.table * 2\n"
    assert "get_constant" not in fixed_text(text + heir, unsafe=True)


def test_each_part_becomes_an_argument() -> None:
    making = "        self.low, self.high = nd.split(nd.arange(size), 2)"
    text = NET.replace("        self.fc = nn.Dense(size)\n", "").replace("self.fc(", "F.broadcast_mul(self.high, ")
    fixed = fixed_text(text.format(making=making, argument="", table="self.low"), unsafe=True)
    assert (
        "def hybrid_forward(self, F, x, low, high):" in fixed or "def hybrid_forward(self, F, x, high, low):" in fixed
    )
