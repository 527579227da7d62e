"""Networks on a GPU that runs generated kernels: the numbers of the CPU, forward, backward and after steps."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.compiled.engines.cuda.engine_fallback import CPU, EAGER, VARIABLE
from hybridlint.runtime.gluon import nn
from hybridlint.runtime.platforms.devices import using
from tests.runtime.gpu.cuda.shim import Shim, runs_kernels
from tests.runtime.gpu.fake import FakeDevices

pytestmark = runs_kernels


@pytest.fixture
def gpu() -> Iterator[Shim]:
    shim = Shim()
    with using(FakeDevices(1, shim)):
        yield shim


def lenet() -> Any:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 3, activation="relu", in_channels=1),
        nn.BatchNorm(in_channels=4),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dense(8, activation="tanh", in_units=36),
        nn.LayerNorm(in_channels=8),
        nn.Dense(3, in_units=8),
    )
    return net


class Attention(gluon.HybridBlock):
    """One head of attention with a residual."""

    def __init__(self) -> None:
        super().__init__()
        self.query, self.key, self.value = (nn.Dense(6, flatten=False, in_units=6) for _ in range(3))
        self.norm = nn.LayerNorm(in_channels=6)

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        scores = F.batch_dot(self.query(x), self.key(x), transpose_b=True) / 6**0.5
        return self.norm(x + F.batch_dot(F.softmax(scores), self.value(x)))


def drawn(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(3).normal(size=shape).astype("float32")


def trained(make: Any, shape: tuple[int, ...], ctx: Any, dtype: str = "float32") -> list[Any]:
    """Return results, gradients and parameters after steps of training."""
    mx.random.seed(11)
    net = make()
    net.initialize(mx.init.Xavier(), ctx=ctx)
    net.cast(dtype)
    net.hybridize(static_alloc=True)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    x = nd.array(drawn(shape), ctx=ctx, dtype=dtype)
    found = []
    for _ in range(3):
        with autograd.record():
            y = net(x)
            loss = (y * y).sum()
        loss.backward()
        trainer.step(shape[0])
        found.append(y)
    found += [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]
    found += [p.data() for p in net.collect_params().values()]
    found.append(net(x))
    assert all(array.context == ctx for array in found)
    if ctx != mx.cpu() and os.environ.get(VARIABLE) not in {EAGER, CPU}:
        taken = {graph.executor.ways[-1].name for graph in net.explain().graphs}
        assert taken <= {"graph", "segments", "line"}, str(net.explain())
        assert all(step.engine == "cuda" for graph in net.explain().graphs for step in graph.executor.steps)
    return [array.asnumpy().astype("float32") for array in found]


@pytest.mark.parametrize(("make", "shape"), [(lenet, (4, 1, 8, 8)), (Attention, (2, 5, 6))], ids=["LeNet", "attention"])
@pytest.mark.parametrize("products", ["folded", "by_library"])
def test_networks_train_as_on_the_cpu(
    gpu: Shim, make: Any, shape: tuple[int, ...], products: str, request: pytest.FixtureRequest
) -> None:
    if products == "by_library":
        request.getfixturevalue(products)
    expected, found = (trained(make, shape, ctx) for ctx in (mx.cpu(), mx.gpu(0)))
    assert gpu.captures
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


def test_float16_is_rounded_where_an_operator_ends(gpu: Shim) -> None:
    expected, found = (trained(Attention, (2, 5, 6), ctx, "float16") for ctx in (mx.cpu(), mx.gpu(0)))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=3e-2, atol=3e-2)


def test_arrays_of_several_sizes_have_code_of_their_own(gpu: Shim) -> None:
    net = nn.Dense(3, activation="relu", in_units=5)
    net.initialize(ctx=mx.gpu(0))
    given = [nd.array(drawn((rows, 5)), ctx=mx.gpu(0)) for rows in (1, 4, 7)]
    eager = [net(x).asnumpy() for x in given]
    net.hybridize()
    for x, expected in zip(given, eager, strict=True):
        np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_a_small_dense_layer_with_its_activation_is_one_launch(gpu: Shim) -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=5), nn.Dense(3, in_units=8))
    net.initialize(ctx=mx.gpu(0))
    net.hybridize()
    net(nd.array(drawn((2, 5)), ctx=mx.gpu(0)))
    assert gpu.launches == 2


def test_explain_names_the_way_and_why_no_other(gpu: Shim) -> None:
    net = nn.Dense(3, activation="relu", in_units=5)
    net.initialize(ctx=mx.gpu(0))
    net.hybridize()
    net(nd.ones((2, 5), ctx=mx.gpu(0)))
    told = str(net.explain())
    assert "compiled by g++" in told
    assert "not as graph: buffers are not kept between calls, hybridize(static_alloc=True) keeps them" in told
    assert "runs as: line" in told
