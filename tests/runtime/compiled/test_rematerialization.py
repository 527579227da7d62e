"""Backward computes functions of elements again instead of keeping them, from arrays as they were in forward."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, gluon, nd, sym
from hybridlint.runtime.compiled.gradient import differentiate
from hybridlint.runtime.compiled.graph import Graph, GraphNode
from tests.runtime.compiled.jit.engines import graph_of, native

X, Y = sym.var("x"), sym.var("y")


def of_elements(graph: Graph, node: GraphNode) -> bool:
    return node.op.name in {"exp", "sigmoid", "tanh", "elemwise_mul", "_mul", "broadcast_mul"}


class Gate(gluon.HybridBlock):
    """Functions of elements of an input and of a parameter."""

    def __init__(self) -> None:
        super().__init__(prefix="gate_")
        self.scale = self.params.get("scale", shape=(3, 4), init="ones")

    def hybrid_forward(self, F: Any, x: Any, scale: Any) -> Any:
        return F.sigmoid(x * scale) * F.tanh(x)


def test_nothing_is_kept_that_follows_from_the_inputs() -> None:
    graph = graph_of(sym.sigmoid(X * Y) * sym.tanh(X), {"x": (3, 4), "y": (3, 4)})
    pair = differentiate(graph, (0, 1), True, cheap=of_elements)
    assert len(pair.forward.outputs) == pair.outputs == 1
    assert len(pair.original) == 2


def test_what_follows_from_nothing_that_is_there_is_kept() -> None:
    """Sums of products are no part of the gradient: the sigmoid of them is kept, and gives the tangent."""
    graph = graph_of(sym.tanh(sym.sigmoid(sym.dot(X, Y))), {"x": (3, 4), "y": (4, 5)})
    _, sigmoid, _ = graph.nodes
    pair = differentiate(graph, (0, 1), True, cheap=of_elements)
    assert pair.forward.outputs[pair.outputs :] == sigmoid.outputs
    assert pair.original == ()


@native
@pytest.mark.parametrize("change", [None, "input", "parameter", "view", "memory that is handed out"])
def test_gradients_are_those_of_other_engines_whatever_changes_before_backward(change: str | None) -> None:
    changes: dict[str | None, Callable[[Any, Any], Any]] = {
        None: lambda x, scale: None,
        "input": lambda x, scale: x.__setitem__(slice(None), 5),
        "parameter": lambda x, scale: scale.set_data(nd.full((3, 4), -2)),
        "view": lambda x, scale: x[1:2].__setitem__(slice(None), 5),
        "memory that is handed out": lambda x, scale: nd.from_dlpack(x.to_dlpack_for_write()).__setitem__(
            slice(None), 5
        ),
    }

    def gradients(backend: str) -> list[Any]:
        net = Gate()
        net.initialize()
        net.hybridize(backend=backend, static_alloc=True)
        x = nd.array(np.random.default_rng(0).normal(size=(3, 4)))
        x.attach_grad()
        with autograd.record():
            y = net(x)
        changes[change](x, net.scale)
        y.backward()
        return [x.grad.asnumpy(), net.scale.grad().asnumpy()]

    for found, expected in zip(gradients("jit"), gradients("numpy"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@native
def test_an_update_between_two_backwards_leaves_the_originals() -> None:
    def gradients(backend: str) -> list[Any]:
        net = Gate()
        net.initialize()
        net.hybridize(backend=backend, static_alloc=True)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5, "momentum": 0.9})
        x = nd.array(np.random.default_rng(0).normal(size=(3, 4)))
        with autograd.record():
            y = net(x)
        y.backward(retain_graph=True)
        trainer.step(1)
        y.backward()
        return [net.scale.grad().asnumpy(), net.scale.data().asnumpy()]

    for found, expected in zip(gradients("jit"), gradients("numpy"), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-6)


@native
def test_gradients_of_gradients_go_through_what_is_computed_again() -> None:
    class Wave(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any) -> Any:
            return F.exp(F.sigmoid(x))

    net = Wave()
    net.hybridize(backend="jit")
    x = nd.array([0.3, -1.2, 2.0])
    x.attach_grad()
    with autograd.record():
        y = net(x)
        (first,) = autograd.grad(y, [x], create_graph=True)
    first.backward()
    value = x.asnumpy().astype("float64")
    s = 1 / (1 + np.exp(-value))
    slope = s * (1 - s)
    np.testing.assert_allclose(first.asnumpy(), np.exp(s) * slope, rtol=1e-5)
    np.testing.assert_allclose(x.grad.asnumpy(), np.exp(s) * slope * (slope + 1 - 2 * s), rtol=1e-5)
