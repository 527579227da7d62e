"""Filters of one channel each are turned around once, so that vectors of channels read each at a stroke."""

from __future__ import annotations

import numpy as np
import pytest

from hybridlint.runtime import autograd, gluon, nd, sym
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from tests.runtime.compiled.jit.engines import compiled, each_target, engine, graph_of, kernels, matches, native


def _between_products(channels: int, kernel: tuple[int, ...], **params: object) -> sym.Symbol:
    """Return a convolution of each channel by itself, between two that mix these: they have the channels last."""
    ones = (1,) * len(kernel)
    mixed = sym.Convolution(sym.var("x"), sym.var("v"), kernel=ones, num_filter=channels, no_bias=True)
    alone = {"num_filter": channels, "num_group": channels, "no_bias": True, **params}
    found = sym.relu(sym.Convolution(mixed, sym.var("w"), kernel=kernel, **alone))
    return sym.Convolution(found, sym.var("u"), kernel=ones, num_filter=4, no_bias=True)


def _shapes(channels: int, kernel: tuple[int, ...], sizes: tuple[int, ...]) -> dict[str, tuple[int, ...]]:
    ones = (1,) * len(kernel)
    return {"x": (2, 4, *sizes), "v": (channels, 4, *ones), "w": (channels, 1, *kernel), "u": (4, channels, *ones)}


@native
@each_target
@pytest.mark.parametrize(("kernel", "stride"), [((3, 3), (1, 1)), ((5, 5), (1, 1)), ((3, 3), (2, 2)), ((3, 1), (1, 2))])
@pytest.mark.parametrize("channels", [32, 37])
def test_filters_of_one_channel_are_turned(
    channels: int, kernel: tuple[int, int], stride: tuple[int, int], target: TargetProcessor
) -> None:
    symbol = _between_products(channels, kernel, stride=stride, pad=tuple(k // 2 for k in kernel))
    graph = graph_of(symbol, _shapes(channels, kernel, (9, 8)))
    executor = compiled(engine(target), graph)
    assert kernels(executor)["KeptArray"] == 1
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize(("kernel", "sizes"), [((3,), (20,)), ((3, 3, 3), (4, 5, 6))])
def test_so_are_those_along_a_line_and_in_space(
    kernel: tuple[int, ...], sizes: tuple[int, ...], target: TargetProcessor
) -> None:
    graph = graph_of(_between_products(32, kernel), _shapes(32, kernel, sizes))
    executor = compiled(engine(target), graph)
    assert kernels(executor)["KeptArray"] == 1
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize(("channels", "size"), [(32, 3), (3, 12)])
def test_those_that_are_read_a_few_times_or_fill_no_vector_are_read_where_they_are(
    channels: int, size: int, target: TargetProcessor
) -> None:
    graph = graph_of(_between_products(channels, (3, 3)), _shapes(channels, (3, 3), (size, size)))
    executor = compiled(engine(target), graph)
    assert kernels(executor)["KeptArray"] == 0
    matches(executor, graph)


@native
def test_filters_that_have_changed_are_turned_again() -> None:
    net = gluon.nn.HybridSequential()
    net.add(
        gluon.nn.Conv2D(32, 1), gluon.nn.Conv2D(32, 3, groups=32), gluon.nn.Activation("relu"), gluon.nn.Conv2D(4, 1)
    )
    net.initialize()
    x = nd.random.normal(shape=(2, 4, 9, 9))
    net(x)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    for _ in range(3):
        expected = net(x).asnumpy()
        net.hybridize(backend="jit")
        np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
        with autograd.record():
            loss = net(x).mean()
        loss.backward()
        trainer.step(1)
        found = net(x).asnumpy()
        net.hybridize(False)
        np.testing.assert_allclose(found, net(x).asnumpy(), rtol=1e-5, atol=1e-6)
