"""A compiled graph that is called for long, by many: it keeps the last plans, and each call gets its answer."""

from __future__ import annotations

import multiprocessing
import sys
import weakref
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon
from hybridlint.runtime.compiled import compile_cache
from hybridlint.runtime.compiled.engines.jit import object_files
from hybridlint.runtime.compiled.engines.jit.llvm import is_installed

ENGINES = [
    "numpy",
    pytest.param("jit", marks=pytest.mark.skipif(not is_installed(), reason="the engine jit needs llvmlite")),
]


def _net(engine: str, **flags: Any) -> Any:
    mx.random.seed(3)
    net = gluon.nn.HybridSequential()
    net.add(gluon.nn.Dense(6, activation="tanh", in_units=5), gluon.nn.Dense(2, in_units=6))
    net.initialize(mx.init.Xavier())
    net.hybridize(backend=engine, **flags)
    return net


def _expected(net: Any, x: np.ndarray) -> Any:
    (w, b), (v, c) = ((layer.weight.data().asnumpy(), layer.bias.data().asnumpy()) for layer in net)
    return np.tanh(x @ w.T + b) @ v.T + c


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr(compile_cache, "MOST", 5)
    return 5


def test_what_was_not_used_for_longest_goes_first() -> None:
    held = compile_cache.CompileCache[str, int](2)
    held.keep("a", 1)
    held.keep("b", 2)
    assert held.get("a") == 1
    held.keep("c", 3)
    assert (held.get("a"), held.get("b"), held.get("c"), len(held)) == (1, None, 3, 2)


@pytest.mark.parametrize("recorded", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_changing_batch_sizes_keep_a_bounded_number_of_plans(engine: str, recorded: bool, few: int) -> None:
    net = _net(engine)
    seen = weakref.WeakSet[Any]()
    for call in range(14):
        x = np.random.default_rng(call).standard_normal((1 + call % 7, 5)).astype("float32")
        with mx.autograd.record() if recorded else mx.autograd.pause():
            y = net(mx.nd.array(x))
        if recorded:
            y.backward()
        np.testing.assert_allclose(y.asnumpy(), _expected(net, x), rtol=1e-4, atol=1e-5)
        for plan in (
            held for _, held in (net._compiled_.call._training if recorded else net._compiled_.call._inference).items()
        ):
            seen.add(plan)
    del y, plan
    assert len(net._compiled_.call._graphs) <= few
    assert len(net._compiled_.call.compiled_graphs()) <= few * (2 if recorded else 1)
    assert len(seen) <= few, "what is not kept is gone"


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("engine", ENGINES)
def test_threads_that_call_one_net_get_their_own_answers(engine: str, static: bool) -> None:
    net = _net(engine, static_alloc=static, static_shape=static)

    inputs = [np.random.default_rng(k).standard_normal((1 + k // 60, 5)).astype("float32") for k in range(240)]
    wanted = [_expected(net, x) for x in inputs]

    def call(k: int) -> Any:
        return net(mx.nd.array(inputs[k])).asnumpy()

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        with ThreadPoolExecutor(6) as threads:
            found = list(threads.map(call, range(240)))
    finally:
        sys.setswitchinterval(interval)
    for k in range(240):
        np.testing.assert_allclose(found[k], wanted[k], rtol=1e-4, atol=1e-4, err_msg=f"call {k}")
    assert len(net._compiled_.call._inference) == 4


def _gradient(net: Any, seed: int) -> float:
    """Return how far the gradient of an input is from what it should be."""
    x = np.random.default_rng(seed).standard_normal((1 + seed % 2, 5)).astype("float32")
    data = mx.nd.array(x)
    data.attach_grad()
    with mx.autograd.record():
        loss = net(data).sum()
    loss.backward()
    (w, b), (v, _) = ((layer.weight.data().asnumpy(), layer.bias.data().asnumpy()) for layer in net)
    wanted = (v.sum(0) * (1 - np.tanh(x @ w.T + b) ** 2)) @ w
    return float(np.abs(data.grad.asnumpy() - wanted).max())


@pytest.mark.parametrize("engine", ENGINES)
def test_threads_that_train_on_one_net_get_the_gradients_of_their_inputs(engine: str) -> None:
    net = _net(engine)
    net.collect_params().setattr("grad_req", "null")
    with ThreadPoolExecutor(4) as threads:
        assert max(threads.map(lambda seed: _gradient(net, seed), range(80))) < 1e-4


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
@pytest.mark.parametrize("engine", ENGINES)
def test_a_fork_may_go_on_with_a_net_that_was_used(engine: str) -> None:
    net = _net(engine, static_alloc=True)
    assert _gradient(net, 1) < 1e-4
    context = multiprocessing.get_context("fork")
    here, there = context.Pipe()

    def child() -> None:
        there.send([_gradient(net, seed) for seed in range(7)])

    process = context.Process(target=child)
    process.start()
    assert here.poll(60), "the child hangs"
    assert max(here.recv()) < 1e-4
    process.join()
    assert (process.exitcode, _gradient(net, 3) < 1e-4) == (0, True)


def test_object_code_on_disk_is_bounded(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(object_files, "MOST_FILES", 8)
    monkeypatch.setattr(object_files, "_EACH", 1)
    for number in range(40):
        object_files.write(tmp_path / f"{number}.o", bytes([number]))
        assert len(list(tmp_path.iterdir())) <= 8
    assert object_files.read(tmp_path / "39.o") == bytes([39])
    assert object_files.read(tmp_path / "0.o") is None
