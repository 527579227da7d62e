"""Expressions that are surely tensors: by operators, layers and inputs, and by what a method of the class returns."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

NET = """
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def helper(self, F, w, k):
{helper}

    def hybrid_forward(self, F, x, y):
        for k in range(3):
            y = F.broadcast_add(y, x.expand_dims(axis=1) * {factor})
        return y
""".lstrip()
TENSORS = {
    "an operator's": "        return F.relu(w)",
    "what it is given": "        if k == 0:\n            return w\n        return F.concat(w, w, dim=1)",
}
OTHERS = {
    "a number": "        if k == 1:\n            return 2.0\n        return F.relu(w)",
    "nothing in some calls": "        if k < 9:\n            return F.relu(w)",
    "what it is given, bound again": "        w = self.scale\n        return w",
}


def product(helper: str, factor: str = "self.helper(F, y, k)") -> str:
    """Return how the product in the loop is written after unsafe fixes."""
    text = fixed_text(NET.format(helper=helper, factor=factor), unsafe=True)
    return "broadcast" if "F.broadcast_mul(" in text else "as it was"


@pytest.mark.parametrize("helper", TENSORS.values(), ids=TENSORS.keys())
def test_products_with_what_a_helper_returns_broadcast_in_each_step_of_a_loop(helper: str) -> None:
    assert product(helper) == "broadcast"


@pytest.mark.parametrize("helper", OTHERS.values(), ids=OTHERS.keys())
def test_what_may_be_no_tensor_is_left(helper: str) -> None:
    assert product(helper) == "as it was"


def test_an_input_is_a_tensor_and_a_setting_is_not() -> None:
    assert product(TENSORS["an operator's"], "y") == "broadcast"
    assert product(TENSORS["an operator's"], "self.scale") == "as it was"
