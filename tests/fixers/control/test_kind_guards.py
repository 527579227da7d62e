"""Guards on what F is: the branch of the eager run stays."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed, fixed_text, lines

GUARDS = {
    "a guard": ("return x * 2 if F is nd else x * 3", "return x * 2"),
    "a guard beside an operator": ("return y * (x + 2 if F is nd else x * 3)", "return y * (x + 2)"),
    "a statement": ("if F is nd:\n    z = x * 2\nelse:\n    z = x * 3\nreturn z", "z = x * 2\nreturn z"),
    "a statement without the other side": ("z = x\nif F is nd:\n    z = x * 2\nreturn z", "z = x\nz = x * 2\nreturn z"),
    "a guard among arguments": ("return F.sum(x, axis=(0 if F is nd else 1))", "return F.sum(x, axis=(0))"),
}


@pytest.mark.parametrize(("before", "after"), GUARDS.values(), ids=GUARDS.keys())
def test_guards(before: str, after: str) -> None:
    assert fixed(before) == lines(after)


BY_DATA = {
    "beside the question for the kind": (
        "if F is nd and x.min().asscalar() < 0:\n    x = F.relu(x)\nreturn F.sqrt(x)",
        "x = F.where(F.broadcast_mul(F.ones_like(x), x.min() < 0), F.relu(x), x)\nreturn F.sqrt(x)",
    ),
    "below the question for the kind": (
        "if isinstance(x, nd.NDArray):\n    if x.min().asscalar() < 0:\n        x = F.relu(x)\nreturn F.sqrt(x)",
        "x = F.where(F.broadcast_mul(F.ones_like(x), x.min() < 0), F.relu(x), x)\nreturn F.sqrt(x)",
    ),
}
#: What only eager runs do by data, without another result.
INSPECTING = {
    "raises": "if F is nd and x.min().asscalar() < 0:\n    raise ValueError(x)\nreturn F.sqrt(x)",
    "prints": "if F is nd:\n    if x.min().asscalar() < 0:\n        print(x)\nreturn F.sqrt(x)",
    "counts": "if F is nd and x.min().asscalar() < 0:\n    n = 3\nreturn F.sqrt(x)",
}


@pytest.mark.parametrize(("before", "after"), BY_DATA.values(), ids=BY_DATA.keys())
def test_eager_choices_by_data_become_operators(before: str, after: str) -> None:
    assert fixed(before, unsafe=True) == after
    assert fixed(before) == before


@pytest.mark.parametrize("body", INSPECTING.values(), ids=INSPECTING.keys())
def test_what_only_inspects_data_stays(body: str) -> None:
    assert fixed(body, unsafe=True) == body


SIZED = """
import mxnet as mx
from mxnet.gluon import HybridBlock


class Mean(HybridBlock):
    def __init__(self, length, **kwargs):
        super().__init__(**kwargs)
        self._length = length

    def hybrid_forward(self, F, x):
        GUARD
        return F.sum(x, axis=1) / n
"""
SIZES = {
    "in an expression": "n = x.shape[1] if hasattr(x, 'shape') else self._length",
    "in a statement": "if F is mx.nd:\n            n = x.shape[1]\n        else:\n            n = self._length",
}


@pytest.mark.parametrize("guard", SIZES.values(), ids=SIZES.keys())
def test_a_setting_in_place_of_a_size_gives_way_to_operators(guard: str) -> None:
    text = fixed_text(SIZED.replace("GUARD", guard), unsafe=True)
    assert "def hybrid_forward(self, F, x):\n        return F.mean(x, axis=1)\n" in text


def test_a_guard_on_what_may_be_a_number_needs_the_author() -> None:
    body = "z = x\nif isinstance(y, mx.nd.NDArray):\n    z = x * 2\nreturn z"
    assert fixed(body) == body


NUMBERS = {
    "in an expression": "z = mx.nd.array(y.asnumpy()) if F is mx.nd else y\nreturn x * z",
    "in a statement": "z = x\nif F is mx.nd:\n    z = mx.nd.array(y.asnumpy())\nreturn x * z",
}


@pytest.mark.parametrize("body", NUMBERS.values(), ids=NUMBERS.keys())
def test_a_side_that_computes_with_numpy_is_left_as_no_graph_can_take_it(body: str) -> None:
    assert fixed(body) == body
