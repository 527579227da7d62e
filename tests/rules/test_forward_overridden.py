"""A `forward` in place of `hybrid_forward`: which fixes are offered for it."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

TEXT = """
import mxnet as mx
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def forward(self, x):
        return {value}
"""


def test_a_forward_becomes_a_hybrid_forward() -> None:
    assert "def hybrid_forward(self, F, x):" in fixed_text(TEXT.format(value="x * 2"), unsafe=True)


@pytest.mark.parametrize("value", ["mx.npx.relu(x)", "x + mx.np.ones((2,))"])
def test_code_of_numpy_mode_is_left_as_it_is(value: str) -> None:
    text = TEXT.format(value=value)
    assert fixed_text(text, unsafe=True) == text
