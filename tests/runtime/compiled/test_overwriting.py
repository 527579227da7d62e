"""Gradients of prelu's slope in compiled graphs: as MXNet 1.9.1 gives them, multiplied by the slope in some graphs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime.gluon import HybridBlock

SLOPES = [0.25, 0.5, -0.75]
After = Callable[[Any, Any, Any], Any]

#: What follows the prelu p of ``x * 2``, and whether MXNet multiplies the gradient of its slope by the slope.
AFTER: dict[str, tuple[After, bool]] = {
    "nothing": (lambda F, p, x: p, False),
    "an operator": (lambda F, p, x: F.tanh(p), True),
    "a sum": (lambda F, p, x: F.sum(p), True),
    "a shape": (lambda F, p, x: F.flatten(p), True),
    "a copy": (lambda F, p, x: F.identity(p), True),
    "itself, used twice": (lambda F, p, x: F.tanh(p * p), True),
    "an output that other operators use": (lambda F, p, x: [p, p * 2], True),
    "the sum with the input": (lambda F, p, x: p + x, False),
    "the sum with the input, used further": (lambda F, p, x: F.tanh(p + x), False),
    "the difference": (lambda F, p, x: p - x, True),
    "add_n": (lambda F, p, x: F.add_n(p, x), True),
    "add_n, used further": (lambda F, p, x: F.tanh(F.add_n(p, x)), False),
    "a sum whose gradient the other part reads first": (lambda F, p, x: F.tanh(p + x * 3), True),
    "a sum whose gradient the other part reads later": (lambda F, p, x: F.tanh(x * 3 + p), False),
    "a copy in such a sum": (lambda F, p, x: F.tanh(F.sin(x) + F.identity(p)), False),
}


class Net(HybridBlock):
    def __init__(self, before: Callable[[Any, Any], Any], after: After) -> None:
        super().__init__()
        self._before, self._after = before, after
        with self.name_scope():
            self.alpha = self.params.get("alpha", shape=(3,))

    def hybrid_forward(self, F: Any, x: Any, alpha: Any) -> Any:
        y = self._before(F, x)
        return self._after(F, F.LeakyReLU(y, gamma=alpha, act_type="prelu"), x)


def _factor(before: Callable[[Any, Any], Any], after: After, *, of_input: bool = True, **flags: Any) -> Any:
    """Return the gradient of the slopes once compiled, divided by that of an eager run."""
    x = mx.nd.array(np.random.RandomState(0).randn(16, 3))
    if of_input:
        x.attach_grad()
    net = Net(before, after)
    net.initialize()
    net.alpha.set_data(mx.nd.array(SLOPES))
    found = []
    for compiled in (False, True):
        net.hybridize(compiled, **flags)
        with mx.autograd.record():
            outputs = net(x)
            outputs = outputs if isinstance(outputs, list) else [outputs]
            loss = sum((y * y * 0.5 + y).sum() for y in outputs)
        loss.backward()
        found.append(net.alpha.grad().asnumpy())
    return found[1] / found[0]


def _double(_F: Any, x: Any) -> Any:
    return x * 2


@pytest.mark.parametrize("name", AFTER)
@pytest.mark.parametrize("flags", [{"inline_limit": 0}, {"static_alloc": True}], ids=["dynamic", "static"])
def test_the_slope_is_multiplied_where_the_graph_overwrites_its_gradient(name: str, flags: dict[str, Any]) -> None:
    after, overwrites = AFTER[name]
    np.testing.assert_allclose(_factor(_double, after, **flags), SLOPES if overwrites else [1, 1, 1], rtol=1e-4)


@pytest.mark.parametrize(
    ("before", "of_input"),
    [(lambda F, x: x, True), (lambda F, x: F.BlockGrad(x * 2), True), (_double, False)],
    ids=["the input", "behind a stop", "no gradient asked"],
)
def test_it_is_not_where_the_gradient_of_its_data_has_no_memory_there(before: Any, of_input: bool) -> None:
    factor = _factor(before, lambda F, p, x: F.tanh(p), of_input=of_input, inline_limit=0)
    np.testing.assert_allclose(factor, [1, 1, 1], rtol=1e-4)


def test_it_is_where_the_data_is_the_input_and_used_again() -> None:
    factor = _factor(lambda F, x: x, lambda F, p, x: F.broadcast_mul(p, x), inline_limit=0)
    np.testing.assert_allclose(factor, SLOPES, rtol=1e-4)


def test_small_graphs_are_inlined_and_have_the_gradients_of_eager_runs() -> None:
    np.testing.assert_allclose(_factor(_double, lambda F, p, x: p.tanh(), inline_limit=9), [1, 1, 1], rtol=1e-4)
