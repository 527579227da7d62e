"""Helpers that compute one array from their arguments and from settings."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text, lines

TEXT = """
import random
import time

import numpy as np
from mxnet import autograd, nd
from mxnet.gluon import HybridBlock, nn

SIZES = [1.0, 2.0]
COUNT = 0


def fill(rows, value):
    for k in range(len(rows)):
        rows[k] = value


def doubled(values):
    return [value * 2 for value in values]


class Net(HybridBlock):
    def __init__(self, n):
        super().__init__()
        self.n = n
        self.table = np.zeros((n,))
        self.turned = 1
        self.fc = nn.Dense(n)

    def turn(self):
        self.turned = 2

    def made(self, k):
{body}

    def hybrid_forward(self, F, x, y):
        {first}
        return F.broadcast_mul(self.fc(x), self.made({given}))
"""

#: Bodies of the helper, and its argument.
PURE = {
    "of literals": ("return nd.array([1.0, 2.0])", "1"),
    "of settings": ("return nd.array([self.n * k])", "self.n"),
    "of a loop that fills": ("m = np.zeros(k)\nfor i in range(k):\n    m[i] = i\nreturn nd.array(m)", "4"),
    "of a list that grows": ("rows = []\nfor i in range(k):\n    rows.append(i)\nreturn nd.array(rows)", "self.n"),
    "by another helper": ("return nd.array(doubled(SIZES))", "1"),
    "by a choice": ("if k > 2:\n    return nd.array([1.0])\nreturn nd.array([2.0])", "self.n"),
}

OTHER = {
    "draws": ("return nd.array(np.random.rand(k))", "4"),
    "draws by Python": ("return nd.array([random.random()])", "4"),
    "asks for the time": ("return nd.array([time.time()])", "4"),
    "asks for the mode": ("return nd.array([float(autograd.is_training())])", "4"),
    "reads parameters": ("return nd.array(self.fc.bias.data().asnumpy() * k)", "4"),
    "reads what changes": ("return nd.array([self.turned])", "4"),
    "changes a setting": ("self.table[0] = k\nreturn nd.array(self.table)", "4"),
    "changes a setting by a name": ("t = self.table\nt[0] += k\nreturn nd.array(t)", "4"),
    "changes it by a helper": ("fill(self.table, k)\nreturn nd.array(self.table)", "4"),
    "counts": ("global COUNT\nCOUNT += 1\nreturn nd.array([COUNT])", "4"),
    "reads a file": ("return nd.array(np.load('table.npy'))", "4"),
    "of a number of an input": ("return nd.array([k])", "len(y)"),
}


def _fixed(body: str, given: str, first: str = "pass") -> str:
    indented = "\n".join(f"        {line}" for line in body.split("\n"))
    text = TEXT.replace("{body}", indented).replace("{given}", given).replace("{first}", first)
    return fixed_text(lines(text) + "\n", unsafe=True)


@pytest.mark.parametrize(("body", "given"), PURE.values(), ids=PURE.keys())
def test_what_a_pure_helper_makes_is_a_constant(body: str, given: str) -> None:
    assert f'self.params.get_constant("constant", self.made({given}))' in _fixed(body, given)


@pytest.mark.parametrize(("body", "given"), OTHER.values(), ids=OTHER.keys())
def test_what_other_helpers_make_is_none(body: str, given: str) -> None:
    assert "get_constant" not in _fixed(body, given)


def test_a_helper_that_only_some_calls_need_is_left() -> None:
    assert "get_constant" not in _fixed("return nd.array([1.0])", "1", "if self.n > 3:\n            return self.fc(x)")
