"""Gradients of gradients: those of the operators that MXNet differentiates twice; elsewhere a clear error."""

from __future__ import annotations

import json
import runpy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.gluon import HybridBlock
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.util import np_shape
from tests.batches import batched, room_of
from tests.closeness import assert_same_numbers

GOLDENS = Path(__file__).parents[2] / "goldens"
ask = runpy.run_path(str(GOLDENS / "second_order.py"))
answers: Mapping[str, Any] = json.loads((GOLDENS / "second_order.json").read_text())

#: Operators whose second gradients MXNet gets wrong: it forgets that what comes from above depends on the input too.
WRONG = {
    *("FullyConnected", "_np_atleast_1d", "_np_atleast_2d", "_np_atleast_3d", "clip", "radians"),
    "_npi_radians",
}


@pytest.mark.parametrize(
    ("name", "slope"), [("arcsinh", [0.2636219, -0.38487408]), ("arccosh", [1.0733125, 0.13258252])]
)
def test_inverse_hyperbolic_functions_have_mxnets_signs(name: str, slope: list[float]) -> None:
    x = nd.array([0.3, -0.7] if name == "arcsinh" else [1.5, 3])
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(getattr(nd, name)(x), [x], create_graph=True, retain_graph=True)
    first.backward()
    assert_same_numbers(x.grad.asnumpy(), np.array(slope, "float32"))


def _draws(operator: registry.Operator) -> bool:
    """Whether results differ in these tests, which predict: these two operators draw in training alone."""
    return operator.random and operator.name not in {"LeakyReLU", "RNN"}


def cases(chosen: Callable[[registry.Operator, Any], bool]) -> list[Any]:
    return [
        pytest.param(operator, sample, answers[key], id=f"{operator.name}-{number}")
        for operator in registry.operators()
        for number, sample in enumerate(ask["make"]["describe"](operator))
        if (key := ask["make"]["key_of"](operator.name, sample)) in answers and chosen(operator, answers[key])
        if operator.differentiable and operator.grad is not registry.unknown_gradient and not _draws(operator)
    ]


def twice(operator: registry.Operator, sample: Mapping[str, Any]) -> list[NDArray]:
    """Do to the bundled operator what was done to MXNet's; return the inputs with a gradient."""
    floats, first = once(operator, sample, ask["make"]["draw"](sample))
    autograd.backward(first, [NDArray(h) for h in ask["heads_for"]([g.asnumpy() for g in first])], train_mode=False)
    return floats


def once(operator: registry.Operator, sample: Mapping[str, Any], raws: list[Any]) -> tuple[list[NDArray], Any]:
    """Return the inputs that have gradients, and these gradients, of the squares of the outputs."""
    inputs: list[Any] = [NDArray(a) for a in raws]
    params = normalize(operator, {k: tuple(v) if isinstance(v, list) else v for k, v in sample["params"].items()})
    floats = [x for x in inputs if x.dtype in (np.float32, np.float64)]
    for x in floats:
        x.attach_grad()
    if not operator.variadic:
        inputs += [None] * (len(operator.inputs) - len(inputs))
    with autograd.record(train_mode=False):
        made = invoke(operator, inputs, params)
        outputs = [o for o in (made if isinstance(made, list) else [made]) if o.dtype in (np.float32, np.float64)]
        squares = [nd.square(o) for o in outputs]
        return floats, autograd.grad(squares, floats, create_graph=True, retain_graph=True, train_mode=False)


@batched(cases(lambda op, answer: "gradients" in answer and op.name not in WRONG), by=room_of)
def test_second_gradients_are_those_of_mxnet(operator: Any, sample: Any, answer: Any) -> None:
    with np_shape(True):
        floats = twice(operator, sample)
    for x, wanted in zip(floats, answer["gradients"], strict=True):
        assert x.grad is not None
        expected = np.array(wanted["values"]).reshape(wanted["shape"])
        np.testing.assert_allclose(x.grad.asnumpy(), expected, rtol=2e-4, atol=2e-4)


@pytest.mark.parametrize("name", sorted(WRONG))
def test_second_gradients_are_derivatives_of_the_first(name: str) -> None:
    operator = registry.get(name)
    sample = ask["make"]["describe"](operator)[0]
    raws = [np.array(a, dtype="float64") for a in ask["make"]["draw"](sample)]
    with np_shape(True):
        floats, first = once(operator, sample, raws)
        heads = ask["heads_for"]([g.asnumpy() for g in first])
        autograd.backward(first, [NDArray(h) for h in heads], train_mode=False)
        for x, raw in zip(floats, raws, strict=True):
            assert x.grad is not None
            numeric = finite_differences(operator, sample, raws, raw, heads)
            np.testing.assert_allclose(x.grad.asnumpy(), numeric, rtol=1e-4, atol=1e-6)


def finite_differences(
    operator: registry.Operator, sample: Mapping[str, Any], raws: list[Any], chosen: Any, heads: list[Any]
) -> Any:
    """Return how the first gradients, weighed by `heads`, change with the elements of one of the inputs."""
    result = np.zeros_like(chosen)
    for index in np.ndindex(*chosen.shape):
        weighed = []
        for step in (1e-6, -2e-6):
            chosen[index] += step
            _, first = once(operator, sample, raws)
            weighed.append(sum(float((g.asnumpy() * h).sum()) for g, h in zip(first, heads, strict=True)))
        chosen[index] += 1e-6
        result[index] = (weighed[0] - weighed[1]) / 2e-6
    return result


@batched(cases(lambda op, answer: answer.get("refused") == "not twice"), by=room_of)
def test_what_mxnet_does_not_differentiate_twice(operator: Any, sample: Any, answer: Any) -> None:
    with np_shape(True), pytest.raises(MXNetError, match="cannot be differentiated twice"):
        twice(operator, sample)


class Net(HybridBlock):
    def __init__(self, function: Callable[[Any, Any], Any]) -> None:
        super().__init__()
        self.function = function

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return self.function(F, x)


def second(net: Net) -> Any:
    x = nd.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(net(x), [x], create_graph=True)
    first.backward()
    assert x.grad is not None
    return x.grad.asnumpy()


def test_a_graph_so_small_that_it_is_inlined_has_second_gradients() -> None:
    net = Net(lambda F, x: F.sin(F.exp(x)))
    eager = second(net)
    net.hybridize()
    assert_same_numbers(second(net), eager)


def test_an_inlined_product_has_none() -> None:
    net = Net(lambda F, x: x * x)
    net.hybridize()
    with pytest.raises(MXNetError, match="elemwise_mul cannot be differentiated twice"):
        second(net)


@pytest.mark.parametrize("static_alloc", [False, True])
def test_other_compiled_graphs_have_none(static_alloc: bool) -> None:
    net = Net(lambda F, x: F.sin(F.exp(F.sin(F.exp(x)))))
    net.hybridize(static_alloc=static_alloc)
    with pytest.raises(MXNetError, match="CachedOp does not support higher order gradients"):
        second(net)


def test_third_order() -> None:
    x = nd.array([0.5, 1.0])
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(nd.sin(x), [x], create_graph=True)
        (again,) = autograd.grad(first, [x], create_graph=True)
    again.backward()
    assert x.grad is not None
    assert_same_numbers(x.grad.asnumpy(), -np.cos(x.asnumpy()))


def test_a_penalty_of_the_gradient_needs_operators_that_go_twice() -> None:
    x = nd.array([0.5, 1.0])
    x.attach_grad()
    with autograd.record():
        (first,) = autograd.grad(nd.sin(x), [x], create_graph=True)
        penalty = (first * first).sum()
    penalty.backward()
    assert x.grad is not None
    values = x.asnumpy()
    assert_same_numbers(x.grad.asnumpy(), -2 * np.sin(values) * np.cos(values))
