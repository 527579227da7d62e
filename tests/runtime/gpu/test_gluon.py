"""Training on GPUs that are not there: networks, trainers over several of them, data, and what hybridized ones run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.compiled.cached_op import CachedOp
from hybridlint.runtime.gluon import nn
from tests.closeness import assert_same_numbers
from tests.runtime.gpu.arrays import ndarray

pytestmark = pytest.mark.usefixtures("two_gpus")

GPUS = [mx.gpu(0), mx.gpu(1)]


def lenet() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(
        nn.Conv2D(4, 3, activation="relu", in_channels=1),
        nn.BatchNorm(in_channels=4),
        nn.MaxPool2D(2),
        nn.Flatten(),
        nn.Dropout(0.5),
        nn.Dense(8, activation="tanh", in_units=36),
        nn.LayerNorm(in_channels=8),
        nn.Dense(3, in_units=8),
    )
    return net


def sequence() -> gluon.rnn.LSTM:
    return gluon.rnn.LSTM(5, num_layers=1, input_size=8, layout="NTC")


def seeded(make: Callable[[], Any], ctx: Any) -> Any:
    mx.random.seed(11)
    net = make()
    net.initialize(mx.init.Xavier(), ctx=ctx)
    return net


def batch(shape: tuple[int, ...]) -> Any:
    return np.random.default_rng(3).normal(size=shape).astype("float32")


@pytest.mark.parametrize("hybridized", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize(("make", "shape"), [(lenet, (4, 1, 8, 8)), (sequence, (4, 6, 8))], ids=["LeNet", "LSTM"])
def test_a_network_gives_the_same_on_every_context(
    make: Callable[[], Any], shape: tuple[int, ...], hybridized: bool
) -> None:
    found = []
    for ctx in (mx.cpu(), mx.gpu(1)):
        net = seeded(make, ctx)
        if hybridized:
            net.hybridize(static_alloc=True)
        x = nd.array(batch(shape), ctx=ctx)
        with autograd.record(train_mode=False):
            y = net(x)
        y.backward()
        again = net(x)
        gradients = [p.grad() for p in net.collect_params().values() if p.grad_req != "null"]
        for array in (y, again, *gradients):
            assert array.context == ctx
            assert isinstance(array._data, ndarray) == (ctx != mx.cpu())
        found.append([a.asnumpy() for a in (y, again, *gradients)])
    for one, other in zip(*found, strict=True):
        assert_same_numbers(other, one)


OPTIMIZERS = (
    *("sgd", "nag", "sgld", "signum", "ftml", "dcasgd", "lbsgd", "lars", "lamb"),
    *("adam", "adagrad", "rmsprop", "adadelta", "ftrl", "adamax", "nadam"),
)


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_every_optimizer_steps_on_a_gpu_as_on_the_cpu(optimizer: str) -> None:
    found = []
    for ctx in (mx.cpu(), mx.gpu(1)):
        mx.random.seed(2)
        weight = nd.array(batch((3, 4)), ctx=ctx)
        chosen = mx.optimizer.create(optimizer, learning_rate=0.1, wd=0.01, clip_gradient=0.5)
        updater = mx.optimizer.get_updater(chosen)
        for step in range(3):
            updater(0, nd.array(batch((3, 4)) + step, ctx=ctx), weight)
        assert weight.context == ctx
        found.append(weight.asnumpy())
    if optimizer != "sgld":
        # It adds noise, which each device draws for itself.
        assert_same_numbers(found[1], found[0])


@pytest.mark.parametrize("hybridized", [False, True], ids=["eager", "hybridized"])
def test_a_trainer_over_two_gpus_does_what_one_cpu_does(hybridized: bool) -> None:
    data, label = batch((8, 1, 8, 8)), np.arange(8) % 3
    loss = gluon.loss.SoftmaxCrossEntropyLoss()
    results = []
    for contexts in ([mx.cpu()], GPUS):
        net = seeded(plain, contexts)
        if hybridized:
            net.hybridize()
        trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 0.05})
        for x, y in gluon.data.DataLoader(gluon.data.ArrayDataset(data, label), batch_size=4):
            parts = zip(gluon.utils.split_and_load(x, contexts), gluon.utils.split_and_load(y, contexts), strict=True)
            with autograd.record():
                losses = [loss(net(part), answer) for part, answer in parts]
            assert [value.context for value in losses] == contexts
            autograd.backward(losses)
            trainer.step(4)
        for param in net.collect_params().values():
            copies = [array.asnumpy() for array in param.list_data()]
            assert param.list_ctx() == contexts
            for copy in copies:
                np.testing.assert_array_equal(copy, copies[0])
        results.append([param.data(contexts[0]).asnumpy() for param in net.collect_params().values()])
    for one, other in zip(*results, strict=True):
        assert_same_numbers(other, one)


def plain() -> nn.HybridSequential:
    net = nn.HybridSequential()
    net.add(nn.Conv2D(4, 3, activation="relu", in_channels=1), nn.Flatten(), nn.Dense(3, in_units=144))
    return net


def test_running_statistics_change_on_the_gpu() -> None:
    net = nn.BatchNorm(in_channels=2)
    net.initialize(ctx=GPUS)
    net.hybridize()
    for ctx, scale in zip(GPUS, (1, 5), strict=True):
        with autograd.record():
            y = net(nd.array(scale * batch((6, 2)), ctx=ctx))
        y.backward()
    first, second = (array.asnumpy() for array in net.running_var.list_data())
    assert not np.allclose(first, second)


def test_parameters_move_between_contexts() -> None:
    net = seeded(plain, mx.cpu())
    before = net[2].weight.data().asnumpy()
    net.collect_params().reset_ctx(GPUS)
    assert net[2].weight.list_ctx() == GPUS
    np.testing.assert_array_equal(net[2].weight.data(mx.gpu(1)).asnumpy(), before)
    with pytest.raises(RuntimeError, match=r"was not initialized on context cpu\(0\)"):
        net[2].weight.data(mx.cpu())
    net.cast("float64")
    assert net[2].weight.data(mx.gpu(0)).dtype == np.float64
    net.collect_params().reset_ctx(mx.cpu())
    np.testing.assert_array_equal(net[2].weight.data().asnumpy(), before)


def test_a_hybridized_block_refuses_inputs_of_several_contexts() -> None:
    class Sum(gluon.HybridBlock):
        def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
            return x + y * 2

    net = Sum()
    net.hybridize()
    with pytest.raises(ValueError, match="takes inputs on one context"):
        net(nd.ones(2, ctx=mx.gpu(0)), nd.ones(2))


def test_a_graph_refuses_parameters_of_another_context_as_mxnet_does() -> None:
    op = CachedOp(mx.sym.exp(mx.sym.var("data") * mx.sym.var("weight")) + 1)
    said = (
        r"Check failed: inputs\[i\]->ctx\(\) == default_ctx \(cpu\(0\) vs. gpu\(0\)\) : CachedOp requires all inputs "
        r"to live on the same context. But data is on gpu\(0\) while weight is on cpu\(0\)"
    )
    with pytest.raises(mx.MXNetError, match=said):
        op(nd.ones(2, ctx=mx.gpu(0)), nd.ones(2))


def test_explain_names_what_runs_on_the_gpu() -> None:
    net = seeded(plain, GPUS)
    net.hybridize()
    net(nd.array(batch((2, 1, 8, 8)), ctx=mx.gpu(1)))
    assert "fake: " in str(net.explain())


def test_the_norm_of_gradients_on_several_gpus_is_clipped() -> None:
    arrays = [nd.array([3.0], ctx=mx.gpu(0)), nd.array([4.0], ctx=mx.gpu(1))]
    assert gluon.utils.clip_global_norm(arrays, 1.0) == pytest.approx(5)
    assert_same_numbers(arrays[1].asnumpy(), [0.8])
