"""GPUs that run out of memory, fail or are lost: one sentence of MXNet's, and a process that goes on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import nn
from hybridlint.runtime.platforms.devices import using
from tests.runtime.gpu.stub import Stub, at_most, stub_devices

FULL = r"^gpu\(0\) is out of memory: Out of memory allocating [\d,]+ bytes"
LOST = r"^gpu\(0\) is lost to this process: cudaErrorLaunchFailure: unspecified launch failure; what is in main memory"


@pytest.fixture
def cupy() -> Iterator[Stub]:
    stub, devices = stub_devices()
    with using(devices):
        yield stub


def dense(units: int = 64) -> Any:
    net = nn.Dense(units, in_units=64)
    net.initialize(ctx=mx.gpu(0))
    return net


def steps_with_momentum() -> None:
    net = dense()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9})
    with autograd.record():
        loss = net(nd.ones((1, 64), ctx=mx.gpu(0))).sum()
    loss.backward()
    with at_most(1 << 10):
        trainer.step(1)


def predicts(hybridized: bool) -> None:
    net = dense(256)
    if hybridized:
        net.hybridize(static_alloc=True)
    with at_most(1 << 13):
        net(nd.ones((4, 64), ctx=mx.gpu(0)))
        net(nd.ones((256, 64), ctx=mx.gpu(0)))


def limited(work: Callable[[], Any]) -> Callable[[], None]:
    """Return work that little memory is left for."""

    def run() -> None:
        with at_most(1 << 10):
            work()

    return run


LARGE = (64, 64)
WORK: dict[str, Callable[[], None]] = {
    "zeros": limited(lambda: nd.zeros(LARGE, ctx=mx.gpu(0))),
    "array": limited(lambda: nd.array(np.ones(LARGE), ctx=mx.gpu(0))),
    "numbers": limited(lambda: nd.random.normal(shape=LARGE, ctx=mx.gpu(0))),
    "copy": limited(lambda: nd.ones(LARGE).as_in_context(mx.gpu(0))),
    "parameters": limited(dense),
    "operator": limited(lambda: nd.broadcast_add(nd.ones((64, 1), ctx=mx.gpu(0)), nd.ones((1, 64), ctx=mx.gpu(0)))),
    "states": steps_with_momentum,
    "block": lambda: predicts(False),
    "hybridized": lambda: predicts(True),
}


@pytest.mark.usefixtures("cupy")
@pytest.mark.parametrize("what", WORK)
def test_a_lack_of_memory_is_a_sentence_and_leaves_the_gpu_usable(what: str) -> None:
    with pytest.raises(MXNetError, match=FULL):
        WORK[what]()
    small = nd.ones((2, 2), ctx=mx.gpu(0))
    np.testing.assert_array_equal((small + small).asnumpy(), 2)
    assert dense()(nd.ones((256, 64), ctx=mx.gpu(0))).shape == (256, 64)


@pytest.mark.usefixtures("cupy")
def test_a_hybridized_block_that_lacked_memory_runs_with_less_data() -> None:
    net = dense(256)
    net.hybridize(static_alloc=True)
    with at_most(1 << 14):
        with pytest.raises(MXNetError, match=FULL):
            net(nd.ones((128, 64), ctx=mx.gpu(0)))
        assert net(nd.ones((2, 64), ctx=mx.gpu(0))).shape == (2, 256)
    assert net(nd.ones((128, 64), ctx=mx.gpu(0))).shape == (128, 256)


def test_a_lost_gpu_is_a_sentence_where_it_is_noticed_and_ever_after(cupy: Stub) -> None:
    x, other, here = nd.ones(3, ctx=mx.gpu(0)), nd.ones(3, ctx=mx.gpu(1)), nd.ones(3)
    net = dense()
    net.hybridize()
    net(nd.ones((1, 64), ctx=mx.gpu(0)))
    cupy.about_to_fail.add(0)
    y = x + x  # asked of the GPU, and not done
    with pytest.raises(MXNetError, match=LOST):
        nd.waitall()
    asked = cupy.questions.count(0)
    for use in (y.asnumpy, lambda: x + 1, lambda: nd.zeros(2, ctx=mx.gpu(0)), lambda: here.as_in_context(mx.gpu(0))):
        with pytest.raises(MXNetError, match=LOST):
            use()
    with pytest.raises(MXNetError, match=LOST):
        net(nd.ones((1, 64)).as_in_context(mx.gpu(0)))
    assert cupy.questions.count(0) == asked
    nd.waitall()
    np.testing.assert_array_equal((here + 1).asnumpy(), 2)
    np.testing.assert_array_equal((other + 1).asnumpy(), 2)


def test_a_gpu_that_is_lost_within_a_hybridized_block_is_no_reason_for_another_way(cupy: Stub) -> None:
    net = dense()
    net.hybridize()
    x = nd.ones((1, 64), ctx=mx.gpu(0))
    net(x)
    taken = net.explain().graphs[0].executor.ways[-1].name
    cupy.failing.add(0)
    with pytest.raises(MXNetError, match=LOST):
        net(x)
    assert net.explain().graphs[0].executor.ways[-1].name == taken == "eager"


def test_a_failure_that_is_not_the_end_leaves_the_gpu_usable(cupy: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    x = nd.ones((2, 2), ctx=mx.gpu(0))

    def fails(*_: Any, **__: Any) -> Any:
        raise ImportError('Failure finding "libcublas.so.12"')

    monkeypatch.setattr(cupy, "matmul", fails, raising=False)
    monkeypatch.setattr(cupy, "dot", fails, raising=False)
    with pytest.raises(MXNetError, match=r'^gpu\(0\) has failed: Failure finding "libcublas.so.12"$'):
        nd.dot(x, x)
    np.testing.assert_array_equal((x + x).asnumpy(), 2)


@pytest.mark.usefixtures("cupy")
def test_what_is_wrong_in_a_call_is_told_as_on_the_cpu() -> None:
    x = nd.ones((2, 2), ctx=mx.gpu(0))
    with pytest.raises(MXNetError, match="Error in operator dot"):
        nd.dot(x, nd.ones((3, 2), ctx=mx.gpu(0)))
