"""The runtime's own attributes have names that a user's class will not have, such as `_trace_`."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon import HybridBlock, nn

from .attribute_names import ANSWERS, OBJECTS, names_of

MEASURED = json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("written", OBJECTS)
def test_names_beside_mxnets_end_with_an_underscore(written: str) -> None:
    own = set(names_of(mx, written)) - set(MEASURED[written])
    assert {name for name in own if name.startswith("_") and not name.endswith("_")} == set()


class Keeper(HybridBlock):
    """A block that keeps what it has seen, under names that a runtime may well have."""

    def __init__(self) -> None:
        super().__init__()
        self._traced = self._compiled = self._compile = self._inputs = False
        self._trace: list[str] = []
        self.dense = nn.Dense(3)

    def _infer(self, x: object) -> object:
        return self.dense(x)

    def hybrid_forward(self, F: object, x: object) -> object:
        self._traced = True
        self._trace.append("call")
        return self._infer(x)


def test_a_user_may_have_attributes_for_traces() -> None:
    net = Keeper()
    net.initialize()
    x = mx.nd.ones((2, 4))
    eager = net(x).asnumpy()
    net.hybridize()
    assert np.allclose(net(x).asnumpy(), eager)
    assert np.allclose(net(x).asnumpy(), eager)
    assert (net._traced, net._compiled, net._trace) == (True, False, ["call", "call"])
