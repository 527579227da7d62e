"""Training is native code: the recorded forward and the graph of the gradient, on every kind of processor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import autograd, gluon, nd, sym
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor, best
from hybridlint.runtime.compiled.gradient import differentiate
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import (
    assert_same,
    compiled,
    draw,
    each_target,
    engine,
    graph_of,
    kernels,
    native,
)

X = sym.var("x")


def convolved(**params: Any) -> Symbol:
    made: Symbol = sym.Convolution(X, sym.var("w"), sym.var("b"), num_filter=6, **params)
    return made


def pooled(**params: Any) -> Symbol:
    made: Symbol = sym.Pooling(sym.tanh(X), **params)
    return made


#: Graphs with the shapes of their inputs.
GRAPHS: Mapping[str, tuple[Symbol, Mapping[str, tuple[int, ...]]]] = {
    "dense": (
        sym.FullyConnected(sym.relu(sym.FullyConnected(X, num_hidden=20)), num_hidden=3),
        {"x": (5, 7)},
    ),
    "convolution": (sym.relu(convolved(kernel=(3, 3), pad=(1, 1))), {"x": (2, 4, 7, 9), "w": (6, 4, 3, 3), "b": (6,)}),
    "convolution in squares": (
        sym.relu(sym.Convolution(X, sym.var("w"), sym.var("b"), num_filter=32, kernel=(3, 3), pad=(1, 1))),
        {"x": (2, 32, 8, 8), "w": (32, 32, 3, 3), "b": (32,)},
    ),
    "strides": (convolved(kernel=(3, 2), stride=(2, 3)), {"x": (2, 4, 8, 9), "w": (6, 4, 3, 2), "b": (6,)}),
    "one by one, strides": (convolved(kernel=(1, 1), stride=(2, 2)), {"x": (2, 4, 7, 7), "w": (6, 4, 1, 1), "b": (6,)}),
    "dilated": (
        convolved(kernel=(3, 3), stride=(2, 1), dilate=(2, 2), pad=(2, 1)),
        {"x": (2, 4, 9, 8), "w": (6, 4, 3, 3), "b": (6,)},
    ),
    "groups": (
        convolved(kernel=(3, 3), num_group=2, pad=(1, 0)),
        {"x": (2, 4, 6, 6), "w": (6, 2, 3, 3), "b": (6,)},
    ),
    "by channel": (
        convolved(kernel=(3, 3), num_group=6, stride=(2, 2), pad=(1, 1)),
        {"x": (2, 6, 7, 6), "w": (6, 1, 3, 3), "b": (6,)},
    ),
    "channels last": (
        convolved(kernel=(3, 3), layout="NHWC", stride=(1, 2)),
        {"x": (2, 6, 7, 3), "w": (6, 3, 3, 3), "b": (6,)},
    ),
    "largest": (pooled(kernel=(2, 2), stride=(2, 2)), {"x": (2, 3, 6, 7)}),
    "largest of windows that overlap": (pooled(kernel=(3, 3), stride=(2, 2), pad=(1, 1)), {"x": (2, 3, 7, 6)}),
    "means": (pooled(kernel=(3, 2), stride=(1, 2), pad=(1, 0), pool_type="avg"), {"x": (2, 3, 7, 6)}),
    "mean of all": (pooled(global_pool=True, pool_type="avg"), {"x": (2, 3, 4, 5)}),
    "attention": (
        sym.batch_dot(sym.softmax(sym.batch_dot(X, sym.var("y"), transpose_b=True)), sym.var("y")),
        {"x": (3, 5, 4), "y": (3, 6, 4)},
    ),
    "normalized": (
        sym.LayerNorm(X, sym.var("gamma"), sym.var("beta")),
        {"x": (4, 20), "gamma": (20,), "beta": (20,)},
    ),
}


@native
@each_target
@pytest.mark.parametrize("name", GRAPHS)
def test_gradients_are_those_of_the_plain_engine(name: str, target: TargetProcessor) -> None:
    symbol, shapes = GRAPHS[name]
    shapes = dict(zip(symbol.list_arguments(), symbol.infer_shape(**shapes)[0], strict=True))
    graph = graph_of(symbol, shapes)
    pair = differentiate(graph, range(len(graph.inputs)), True)
    given = draw(graph)
    forward = compiled(engine(target), pair.forward, results=pair.outputs)
    plain = PLAIN.compile(pair.forward, training=True, results=pair.outputs)(given)
    found = forward(given)
    assert_same(found, plain)
    generator = np.random.default_rng(1)
    heads = [generator.normal(size=raw.shape).astype("float32") for raw in plain[: pair.outputs]]
    residuals = [*(given[k] for k in pair.saved), *plain[pair.outputs :], *heads]
    pulled = optimize(pair.backward)
    backward = compiled(engine(target), pulled)
    assert [step.reason for executor in (forward, backward) for step in executor.steps] == [None, None]
    assert_same(backward(residuals), PLAIN.compile(pulled, training=True)(residuals))


@native
def test_a_gradient_of_windows_side_by_side_is_written_once() -> None:
    """No zeros are written where each element is in one window, and nothing is copied."""
    graph = graph_of(sym.Pooling(X, kernel=(2, 2), stride=(2, 2)), {"x": (2, 3, 6, 8)})
    pair = differentiate(graph, [0], True)
    executor = compiled(engine(best(features())), optimize(pair.backward))
    assert kernels(executor) == {"Loop": 4}


@native
def test_a_block_trains_on_the_engine_that_it_names() -> None:
    def trained(backend: str) -> Any:
        net = gluon.nn.HybridSequential(prefix="net_")
        net.add(gluon.nn.Conv2D(3, 3, in_channels=2), gluon.nn.BatchNorm(in_channels=3), gluon.nn.Dense(2, in_units=48))
        net.initialize()
        for k, param in enumerate(net.collect_params().values()):
            values = np.random.default_rng(k).normal(size=param.shape)
            param.set_data(nd.array(np.abs(values) if "var" in param.name else values))
        net.hybridize(backend=backend)
        trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.01, "momentum": 0.9})
        x = nd.array(np.random.default_rng(9).normal(size=(4, 2, 6, 6)))
        for _ in range(3):
            with autograd.record():
                loss = (net(x) ** 2).sum()
            loss.backward()
            trainer.step(4)
        engines = {step.engine for graph in net.explain().graphs for step in graph.executor.steps}
        return engines, [param.data().asnumpy() for param in net.collect_params().values()]

    engines, found = trained("jit")
    plain, expected = trained("numpy")
    assert (engines, plain) == ({"jit"}, {"numpy"})
    assert_same(found, expected)
