"""Calls of a network on a GPU take no more of its memory than a hundred of them: a thousand as a captured graph."""

from __future__ import annotations

import gc
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.gluon import nn
from hybridlint.runtime.platforms.devices import using
from tests.runtime.gpu.arrays import MEMORY
from tests.runtime.gpu.cuda.shim import Shim, runs_kernels
from tests.runtime.gpu.fake import FakeDevices

CALLS = 1_000
pytestmark = runs_kernels


def network(flags: dict[str, Any]) -> Any:
    net = nn.HybridSequential()
    net.add(nn.Dense(4, activation="relu", in_units=3), nn.Dense(2, in_units=4))
    net.initialize(ctx=mx.gpu(0))
    if flags:
        net.hybridize(**flags)
    return net


def predicting(net: Any) -> Callable[[int], Any]:
    """Return a call of a network, with an array that is another one each tenth time, and has one of three sizes."""
    data = [nd.ones((rows, 3), ctx=mx.gpu(0)) for rows in (1, 2, 5)]
    fresh = np.ones((2, 3), "float32")
    return lambda number: net(nd.array(fresh, ctx=mx.gpu(0)) if number % 10 == 0 else data[number % 3])


def training(net: Any) -> Callable[[int], Any]:
    """Return a step of training a network."""
    trainer = gluon.Trainer(net.collect_params(), "adam", {"learning_rate": 1e-3})
    x = nd.ones((2, 3), ctx=mx.gpu(0))

    def step(_: int) -> None:
        with autograd.record():
            loss = net(x).sum()
        loss.backward()
        trainer.step(2)

    return step


@pytest.mark.parametrize(
    ("make", "flags", "way", "calls"),
    [
        (predicting, {}, None, CALLS // 4),
        (predicting, {"active": True}, "line", CALLS // 4),
        (predicting, {"static_alloc": True, "static_shape": True}, "graph", CALLS),
        (training, {"static_alloc": True}, "graph", CALLS // 4),
    ],
    ids=["eager", "launched", "captured", "training"],
)
def test_calls_take_no_more_memory(make: Any, flags: dict[str, Any], way: str | None, calls: int) -> None:
    with using(FakeDevices(1, Shim())):
        net = network(flags)
        call = make(net)
        for number in range(100):
            call(number)
        gc.collect()
        before = MEMORY.used[0]
        for number in range(calls):
            call(number)
        gc.collect()
        assert MEMORY.used[0] <= before
        if way is not None:
            assert {graph.executor.ways[-1].name for graph in net.explain().graphs} == {way}
