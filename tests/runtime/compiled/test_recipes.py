"""The engine `numpy` computes by recipes: in planned memory, with what follows from weights made once."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.compiled.cached_op import CachedOp

Case = tuple[Callable[..., Any], tuple[tuple[int, ...], ...]]

#: Calls of a namespace's functions on arrays, which are large enough that their operators have recipes.
CASES: dict[str, Case] = {
    "dense, parts of panels": (
        lambda F, x, w, b: F.FullyConnected(x, w, b, num_hidden=70),
        ((37, 300), (70, 300), (70,)),
    ),
    "dense, no bias": (lambda F, x, w: F.FullyConnected(x, w, num_hidden=64, no_bias=True), ((32, 5), (64, 5))),
    "dense, deep": (
        lambda F, x, w, b: F.FullyConnected(x, w, b, num_hidden=3),
        ((8, 9000), (3, 9000), (3,)),
    ),
    "dense, rows apart": (
        lambda F, x, w, b: F.FullyConnected(x, w, b, num_hidden=40, flatten=False),
        ((3, 7, 20), (40, 20), (40,)),
    ),
    "dense, weight made of others": (
        lambda F, x, v, w: F.FullyConnected(x, F.concat(v * 2, w, dim=0), num_hidden=20, no_bias=True),
        ((9, 12), (8, 12), (12, 12)),
    ),
}


def arrays(shapes: tuple[tuple[int, ...], ...]) -> list[Any]:
    generator = np.random.default_rng(3)
    return [nd.array(generator.uniform(-1, 1, shape), dtype="float32") for shape in shapes]


def compiled(call: Callable[..., Any], count: int, **flags: Any) -> CachedOp:
    made = call(sym, *(sym.var(f"x{k}") for k in range(count)))
    symbol = sym.Group(list(made)) if isinstance(made, (list, tuple)) else made
    return CachedOp(symbol, {"backend": "numpy", **flags})


def listed(found: Any) -> list[Any]:
    return [one.asnumpy() for one in found] if isinstance(found, (list, tuple)) else [found.asnumpy()]


def wide(call: Callable[..., Any], given: list[Any]) -> list[Any]:
    return listed(call(nd, *(x.astype("float64") for x in given)))


def assert_close(found: Any, expected: list[Any]) -> None:
    for one, other in zip(listed(found), expected, strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5 * max(np.abs(other).max(), 1))


@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_numbers_are_those_of_float64(name: str, static: bool) -> None:
    call, shapes = CASES[name]
    given = arrays(shapes)
    run = compiled(call, len(given), static_alloc=static)
    for _ in range(2):
        assert_close(run(*given), wide(call, given))


@pytest.mark.parametrize("name", CASES)
def test_what_is_kept_follows_its_input(name: str) -> None:
    call, shapes = CASES[name]
    given = arrays(shapes)
    run = compiled(call, len(given), static_alloc=True)
    run(*given)
    for array in given[1:]:
        array[:] = array * -0.5 + 0.25
        assert_close(run(*given), wide(call, given))
    others = [given[0], *arrays(shapes)[1:]]
    assert_close(run(*others), wide(call, others))
    assert_close(run(*given), wide(call, given))


@pytest.mark.parametrize("name", CASES)
def test_arrays_that_others_know_are_looked_at_in_each_call(name: str) -> None:
    call, shapes = CASES[name]
    known = [array.asnumpy() for array in arrays(shapes)]
    given = [nd.from_numpy(raw, zero_copy=True) for raw in known]
    run = compiled(call, len(given), static_alloc=True)
    run(*given)
    for raw in known:
        raw.flags.writeable = True
        raw[...] = raw * 0.5
    assert_close(run(*given), wide(call, given))


@pytest.mark.parametrize("name", CASES)
def test_a_second_call_takes_no_more_memory_than_was_planned(name: str) -> None:
    call, shapes = CASES[name]
    given = arrays(shapes)
    run = compiled(call, len(given))
    made = sum(one.nbytes for one in listed(run(*given)))
    (graph,) = run.compiled_graphs()
    tracemalloc.start()
    run(*given)
    _, held = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    # Objects of Python: views, tuples, frames.
    assert held <= graph.executor.plan.bytes_planned + made + 20_000


def test_calls_of_several_threads_keep_their_own() -> None:
    call, shapes = CASES["dense, parts of panels"]
    sets = [[x * (k + 1) for x in arrays(shapes)] for k in range(3)]
    run = compiled(call, 3, static_alloc=True)
    expected = [wide(call, given) for given in sets]
    with ThreadPoolExecutor(3) as pool:
        for found, other in zip(pool.map(lambda k: run(*sets[k % 3]), range(60)), expected * 20, strict=True):
            assert_close(found, other)


def test_a_layer_that_was_trained_predicts_with_its_new_weight() -> None:
    net = gluon.nn.Dense(30, in_units=20)
    net.initialize()
    net.hybridize(static_alloc=True, backend="numpy")
    x = nd.array(np.random.default_rng(1).uniform(-1, 1, (16, 20)))
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    for _ in range(3):
        with mx.autograd.record():
            loss = (net(x) ** 2).sum()
        loss.backward()
        trainer.step(16)
        weight, bias = (p.data().asnumpy() for p in net.collect_params().values())
        np.testing.assert_allclose(net(x).asnumpy(), x.asnumpy() @ weight.T + bias, rtol=1e-4, atol=1e-5)
