"""Calls of a compiled block that are alike take a short way, and give what they would give on the long one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.compiled.engines.jit.llvm import is_installed

ENGINES = [
    "numpy",
    pytest.param("jit", marks=pytest.mark.skipif(not is_installed(), reason="the engine jit needs llvmlite")),
]


class Net(gluon.HybridBlock):
    """Two dense layers on the sum of two arrays, and the sum."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.first = gluon.nn.Dense(7, activation="tanh", in_units=5)
            self.dropped = gluon.nn.Dropout(0.5)
            self.second = gluon.nn.Dense(3, in_units=7)

    def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
        """Compute both."""
        return self.second(self.dropped(self.first(x + y))), [x + y]


def expected(net: Any, x: Any, y: Any) -> Any:
    return net.second(net.first(x + y)).asnumpy()


def draw(*shape: int) -> Any:
    return nd.random.normal(shape=shape)


def repeating(engine: str, **flags: Any) -> tuple[Any, Any, Any]:
    """Return a net that repeats calls, with the arguments of these."""
    net = Net()
    net.initialize(mx.init.Xavier())
    x, y = draw(4, 5), draw(4, 5)
    net.hybridize(backend=engine, **flags)
    for _ in range(3):
        net(x, y)
    assert net._compiled_ is not None
    assert net._compiled_.repeated is not None
    return net, x, y


def agrees(net: Any, x: Any, y: Any) -> None:
    """Check what a net computes against its layers one by one."""
    found, (total,) = net(x, y)
    np.testing.assert_allclose(found.asnumpy(), expected(net, x, y), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(total.asnumpy(), (x + y).asnumpy(), rtol=1e-6, atol=1e-6)
    assert found.context == x.context


def in_place(net: Any) -> None:
    net.first.weight.data()[:] = 0.25


def a_part(net: Any) -> None:
    net.first.weight.data()[2:4] += 1


def by_set_data(net: Any) -> None:
    net.second.weight.set_data(nd.ones((3, 7)))


def initialized_again(net: Any) -> None:
    net.initialize(mx.init.One(), force_reinit=True)


def moved(net: Any) -> None:
    net.collect_params().reset_ctx(mx.cpu(0))


def trained(net: Any) -> None:
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    with autograd.record():
        loss = net(draw(4, 5), draw(4, 5))[0].sum()
    loss.backward()
    trainer.step(1)


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("change", [in_place, a_part, by_set_data, initialized_again, moved, trained])
def test_changed_parameters_are_seen(change: Callable[[Any], None], engine: str, static: bool) -> None:
    net, x, y = repeating(engine, static_alloc=static)
    agrees(net, x, y)
    for _ in range(3):
        change(net)
        agrees(net, x, y)


@pytest.mark.parametrize("engine", ENGINES)
def test_other_arrays_take_their_places(engine: str) -> None:
    net, x, y = repeating(engine, static_alloc=True)
    for first, second in ((draw(4, 5), y), (x, draw(4, 5)), (y, x), (x, x), (draw(9, 5), draw(9, 5)), (x, y)):
        agrees(net, first, second)
    agrees(net, draw(5, 4).T, draw(8, 5)[::2])
    x[:] = 3
    agrees(net, x, y)


@pytest.mark.parametrize("engine", ENGINES)
def test_results_are_the_callers_own(engine: str) -> None:
    """What was returned stays as it was, however often the net is called; what nobody has any more may be used."""
    net, x, y = repeating(engine, static_alloc=True)
    kept, views, copies = [], [], []
    for call in range(6):
        found, (total,) = net(x + call, y)
        copies.append((found.asnumpy(), total.asnumpy()))
        kept.append(found)
        views.append(total[1:3])
        del found, total
    for first, second, (found, total) in zip(kept, views, copies, strict=True):
        np.testing.assert_array_equal(first.asnumpy(), found)
        np.testing.assert_array_equal(second.asnumpy(), total[1:3])
    assert len({array._data.ctypes.data for array in kept}) == len(kept)


@pytest.mark.skipif(not is_installed(), reason="the engine jit needs llvmlite")
def test_an_output_may_be_the_next_input() -> None:
    net = gluon.nn.Dense(5, in_units=5, activation="tanh")
    net.initialize(mx.init.Xavier())
    start = draw(2, 5)
    x, expected = start, start
    for _ in range(6):
        expected = net(expected)
    net.hybridize(backend="jit", static_alloc=True)
    for _ in range(6):
        x = net(x)
    np.testing.assert_allclose(x.asnumpy(), expected.asnumpy(), rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("engine", ENGINES)
def test_modes_are_looked_at(engine: str) -> None:
    net, x, y = repeating(engine)
    with autograd.train_mode():
        assert (net(nd.ones((64, 5)), nd.ones((64, 5)))[0].asnumpy().std(axis=0) > 0).all()
    agrees(net, x, y)
    x.attach_grad()
    with autograd.record(train_mode=False):
        total = net(x, y)[1][0]
    total.backward()
    np.testing.assert_array_equal(x.grad.asnumpy(), np.ones((4, 5)))
    agrees(net, x, y)


def test_hooks_monitors_and_the_profiler_are_heard() -> None:
    net, x, y = repeating("numpy")
    seen: list[str] = []
    with net.register_forward_hook(lambda *_: seen.append("after")):
        net(x, y)
    with net.register_forward_pre_hook(lambda *_: seen.append("before")):
        net(x, y)
    assert seen == ["after", "before"]
    operators: list[bytes] = []
    net.register_op_hook(lambda name, operator, array: operators.append(operator))
    net(x, y)
    assert operators.count(b"FullyConnected") == 2


def test_the_profiler_hears_of_operators_in_other_sizes_too() -> None:
    net, x, y = repeating("numpy")
    mx.profiler.set_state("run")
    try:
        for _ in range(3):
            agrees(net, draw(9, 5), draw(9, 5))
    finally:
        mx.profiler.set_state("stop")
    assert "FullyConnected" in mx.profiler.dumps(reset=True)
    agrees(net, x, y)


def test_what_does_not_fit_is_told_as_ever() -> None:
    net, x, y = repeating("numpy")
    with pytest.raises(ValueError, match="does not match the cached version"):
        net(x)
    with pytest.raises(mx.MXNetError):
        net(draw(4, 6), draw(4, 6))
    with pytest.raises(ValueError, match="one context"):
        net(x, y.as_in_context(mx.cpu(1)))
    agrees(net, x, y)


def test_a_block_that_is_no_longer_compiled_runs_eagerly() -> None:
    net, x, y = repeating("numpy")
    net.hybridize(active=False, clear=False)
    net.hybrid_forward = lambda F, first, second: (F, first)
    assert net(x, y) == (nd, x)


def test_a_replaced_child_is_found() -> None:
    net, x, y = repeating("numpy")
    with net.name_scope():
        net.second = gluon.nn.Dense(2, in_units=7)
    net.second.initialize()
    assert net(x, y)[0].shape == (4, 2)
    agrees(net, x, y)
