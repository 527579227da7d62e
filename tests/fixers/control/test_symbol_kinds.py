"""Guards that ask for arrays ask for Symbols too, where the trace can then go the eager way."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

HELPED = """
import mxnet as mx
from mxnet import nd
from mxnet.gluon import HybridBlock


def helped(x):
    GUARD
    REST


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return helped(F.tanh(x))
"""
ASKED = {
    "an early return": (
        "if isinstance(x, nd.NDArray):\n        return x.clip(-1, 1)",
        "return x",
        "if isinstance(x, (nd.NDArray, mx.sym.Symbol)):",
    ),
    "the other kinds return": (
        "if not isinstance(x, nd.NDArray):\n        return x",
        "return x.clip(-1, 1)",
        "if not isinstance(x, (nd.NDArray, mx.sym.Symbol)):",
    ),
    "several classes": (
        "if isinstance(x, (nd.NDArray, list)):\n        return x.clip(-1, 1)",
        "return x",
        "if isinstance(x, (nd.NDArray, list, mx.sym.Symbol)):",
    ),
}


@pytest.mark.parametrize(("guard", "rest", "asked"), ASKED.values(), ids=ASKED.keys())
def test_symbols_pass_too(guard: str, rest: str, asked: str) -> None:
    assert asked in fixed_text(HELPED.replace("GUARD", guard).replace("REST", rest), unsafe=True)


def test_functions_of_arrays_in_that_branch_come_from_the_namespace_then() -> None:
    guard = "if isinstance(x, nd.NDArray):\n        return nd.clip(x, -1, 1)"
    text = fixed_text(HELPED.replace("GUARD", guard).replace("REST", "return x"), unsafe=True)
    assert "if isinstance(x, (nd.NDArray, mx.sym.Symbol)):\n        return F.clip(x, -1, 1)" in text


def test_a_branch_that_symbols_fail_in_stays_closed_to_them() -> None:
    guard = "if isinstance(x, nd.NDArray):\n        return x * float(x.asnumpy().mean())"
    text = HELPED.replace("GUARD", guard).replace("REST", "return x")
    assert "isinstance(x, nd.NDArray)" in fixed_text(text, unsafe=True)


def test_it_is_no_safe_fix() -> None:
    guard, rest, _ = ASKED["an early return"]
    text = HELPED.replace("GUARD", guard).replace("REST", rest)
    assert fixed_text(text) == text
