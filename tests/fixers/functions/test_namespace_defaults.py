"""Helpers with a parameter F that calls leave to its default, the functions of NDArrays."""

from __future__ import annotations

import pytest

from tests.fixers.bodies import fixed_text

TEXT = """\
import mxnet as mx
from mxnet import nd
from mxnet.gluon import HybridBlock


def softened(x, {parameter}):
    return F.exp(x) * 0.5


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return {call}
"""

CALLS = {
    "left out": ("F=nd", "softened(x) * 2", "softened(x, F=F) * 2"),
    "left out, by the name of the package": ("F=mx.nd", "softened(x)", "softened(x, F=F)"),
    "given by name alone": ("*, F=nd", "softened(x=x)", "softened(x=x, F=F)"),
    "given": ("F=nd", "softened(x, F)", "softened(x, F)"),
}


@pytest.mark.parametrize(("parameter", "before", "after"), CALLS.values(), ids=CALLS.keys())
def test_calls_give_their_functions(parameter: str, before: str, after: str) -> None:
    text = TEXT.replace("{parameter}", parameter)
    assert fixed_text(text.replace("{call}", before)) == text.replace("{call}", after)


def test_code_without_functions_leaves_the_default() -> None:
    text = TEXT.replace("{parameter}", "F=nd").replace("{call}", "softened(x)")
    after = fixed_text(f"{text}\n\ndef shown(array):\n    return softened(array).asnumpy()\n", unsafe=True)
    assert "softened(x, F=F)" in after
    assert "softened(array).asnumpy()" in after
