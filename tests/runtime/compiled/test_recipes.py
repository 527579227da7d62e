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


def conv(filters: int, **params: Any) -> Callable[..., Any]:
    """Return a convolution, whose result goes through another operator: what leaves a graph lies in its order."""
    return lambda F, x, w, b: F.relu(F.Convolution(x, w, b, num_filter=filters, **params))


def norm(F: Any, x: Any, *vectors: Any) -> Any:
    return F.BatchNorm(x, *vectors, fix_gamma=False, eps=1.5)


def rnn(mode: str, size: int, num_layers: int = 1, *, state_outputs: bool = True, **params: Any) -> Callable[..., Any]:
    def call(F: Any, x: Any, weights: Any, *states: Any) -> Any:
        given = {"state_size": size, "num_layers": num_layers, "state_outputs": state_outputs, **params}
        made = F.RNN(x, weights * 0.3, *states, mode=mode, **given)
        return [*made] if state_outputs else [made]

    return call


def pool(kind: str, **params: Any) -> Callable[..., Any]:
    return lambda F, x: F.Pooling(x, pool_type=kind, **params)


#: Calls of a namespace's functions on arrays, which are large enough that their operators have recipes.
CASES: dict[str, Case] = {
    "convolution, summed over channels": (
        lambda F, x, w, b: F.sum(F.Convolution(x, w, b, num_filter=20, kernel=(3, 3)), axis=1),
        ((2, 3, 6, 19), (20, 3, 3, 3), (20,)),
    ),
    "convolution, turned": (
        lambda F, x, w, b: F.transpose(F.Convolution(x, w, b, num_filter=20, kernel=(2, 2)), axes=(0, 2, 3, 1)),
        ((2, 3, 6, 19), (20, 3, 2, 2), (20,)),
    ),
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
    "windows as columns": (conv(5, kernel=(5, 4), pad=(1, 2), stride=(2, 1)), ((3, 2, 11, 12), (5, 2, 5, 4), (5,))),
    "windows as rows": (conv(4, kernel=(3, 3), dilate=(2, 1)), ((2, 6, 9, 8), (4, 6, 3, 3), (4,))),
    "windows in many parts": (conv(9, kernel=(7, 7), pad=(3, 3)), ((2, 3, 60, 61), (9, 3, 7, 7), (9,))),
    "windows of one place": (conv(30, kernel=(1, 1)), ((2, 20, 5, 6), (30, 20, 1, 1), (30,))),
    "windows of one place, apart": (conv(4, kernel=(1, 1), stride=(2, 3)), ((2, 5, 9, 8), (4, 5, 1, 1), (4,))),
    "windows along one axis": (conv(7, kernel=(4,), pad=(2,)), ((3, 5, 40), (7, 5, 4), (7,))),
    "windows along three axes": (conv(3, kernel=(3, 2, 2), pad=(1, 0, 1)), ((2, 4, 5, 6, 7), (3, 4, 3, 2, 2), (3,))),
    "windows after windows": (
        lambda F, x, w, b, v, c: conv(8, kernel=(2, 3))(F, F.relu(conv(6, kernel=(3, 3))(F, x, w, b)), v, c),
        ((2, 4, 12, 13), (6, 4, 3, 3), (6,), (8, 6, 2, 3), (8,)),
    ),
    "squares of 4": (conv(48, kernel=(3, 3), pad=(1, 1)), ((1, 32, 24, 24), (48, 32, 3, 3), (48,))),
    "squares that stand out": (conv(32, kernel=(3, 3), pad=(1, 1)), ((2, 48, 13, 10), (32, 48, 3, 3), (32,))),
    "squares of many channels": (conv(20, kernel=(3, 3), pad=(1, 1)), ((2, 400, 6, 6), (20, 400, 3, 3), (20,))),
    "windows of many channels": (conv(20, kernel=(3, 2)), ((2, 200, 6, 6), (20, 200, 3, 2), (20,))),
    "squares of many pictures": (conv(40, kernel=(3, 3), pad=(0, 2)), ((9, 40, 9, 9), (40, 40, 3, 3), (40,))),
    "squares in many parts": (conv(64, kernel=(3, 3), pad=(1, 1)), ((2, 64, 40, 40), (64, 64, 3, 3), (64,))),
    "normalized, added and pooled": (
        lambda F, x, w, b, g, h, m, v: F.Pooling(
            F.relu(norm(F, conv(16, kernel=(3, 3), pad=(1, 1))(F, x, w, b), g, h, m, v) + x * 2),
            kernel=(3, 3),
            stride=(2, 2),
            pad=(1, 1),
            pool_type="max",
        ),
        ((2, 16, 14, 15), (16, 16, 3, 3), *((16,),) * 5),
    ),
    "lstm": (rnn("lstm", 50), ((7, 6, 20), (4 * 50 * 72,), (1, 6, 50), (1, 6, 50))),
    "lstm, no states": (
        lambda F, *given: rnn("lstm", 5, state_outputs=False)(F, *given)[0] * 2,
        ((4, 3, 6), (4 * 5 * 13,), (1, 3, 5), (1, 3, 5)),
    ),
    "lstm, states alone": (
        lambda F, *given: rnn("lstm", 50)(F, *given)[1:],
        ((7, 6, 20), (4 * 50 * 72,), (1, 6, 50), (1, 6, 50)),
    ),
    "gru in both directions, states alone": (
        lambda F, *given: rnn("gru", 12, num_layers=2, bidirectional=True)(F, *given)[1],
        ((5, 4, 9), (2 * 3 * 12 * (9 + 12 + 2) + 2 * 3 * 12 * (24 + 12 + 2),), (4, 4, 12)),
    ),
    "gru in both directions": (
        rnn("gru", 12, num_layers=2, bidirectional=True),
        ((5, 4, 9), (2 * 3 * 12 * (9 + 12 + 2) + 2 * 3 * 12 * (24 + 12 + 2),), (4, 4, 12)),
    ),
    "plain cells in four layers": (
        rnn("rnn_tanh", 67, num_layers=4),
        ((3, 2, 70), (67 * (70 + 67 + 2) + 3 * 67 * (67 + 67 + 2),), (4, 2, 67)),
    ),
    "plain cells that rectify": (rnn("rnn_relu", 8), ((3, 2, 4), (8 * 14,), (1, 2, 8))),
    "gelu": (lambda F, x: F.LeakyReLU(x * 6, act_type="gelu") + 0, ((37, 1000),)),
    "gelu of what lies channels last": (
        lambda F, x, w, b: F.LeakyReLU(F.Convolution(x, w, b, num_filter=14, kernel=(1, 1)), act_type="gelu") * 2,
        ((2, 4, 5, 6), (14, 4, 1, 1), (14,)),
    ),
    "rows normalized": (lambda F, x, g, b: F.LayerNorm(x * 3, g, b) + 0, ((70, 6, 100), (100,), (100,))),
    "long rows normalized": (lambda F, x, g, b: F.LayerNorm(x, g, b, axis=1), ((2, 40000), (40000,), (40000,))),
    "softmax": (lambda F, x: F.softmax(x * 9), ((300, 130),)),
    "softmax of what lies channels last": (
        lambda F, x, w, b: F.softmax(F.Convolution(x, w, b, num_filter=14, kernel=(1, 1))) * 2,
        ((2, 4, 5, 6), (14, 4, 1, 1), (14,)),
    ),
    "softmax of infinite numbers": (lambda F, x: F.softmax(F.log(F.relu(x))), ((20, 3),)),
    "matrices of many rows": (lambda F, x, y: F.batch_dot(x, y) + 0, ((3, 300, 70), (3, 70, 90))),
    "turned matrices": (
        lambda F, x, y: F.batch_dot(x, y, transpose_a=True, transpose_b=True) + 0,
        ((3, 70, 96), (3, 90, 70)),
    ),
    "axes in another order": (
        lambda F, x: F.reshape(F.transpose(x, axes=(1, 0, 2)), shape=(6, -1)) * 2,
        ((5, 6, 7),),
    ),
    "largest": (pool("max", kernel=(3, 2), stride=(2, 1), pad=(1, 1)), ((2, 3, 9, 8),)),
    "means": (pool("avg", kernel=(3, 2), stride=(2, 1), pad=(2, 0)), ((2, 3, 9, 8),)),
    "means, frames not counted": (pool("avg", kernel=(3, 3), pad=(1, 1), count_include_pad=False), ((2, 3, 9, 8),)),
    "sums, full": (pool("sum", kernel=(2, 3), stride=(3, 2), pooling_convention="full"), ((2, 3, 9, 8),)),
    "largest, full": (pool("max", kernel=(3, 2), stride=(2, 2), pooling_convention="full"), ((2, 3, 8, 9),)),
    "largest along one axis": (pool("max", kernel=(4,), stride=(3,), pad=(3,)), ((2, 3, 17),)),
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


def test_long_sums_err_no_more_than_short_ones() -> None:
    generator = np.random.default_rng(5)
    for inner in (256, 4096):
        x, w = (generator.standard_normal((rows, inner)).astype("float32") for rows in (32, 64))
        run = compiled(lambda F, x, w: F.FullyConnected(x, w, num_hidden=64, no_bias=True), 2)
        found, expected = run(nd.array(x), nd.array(w)).asnumpy(), x.astype("float64") @ w.T.astype("float64")
        assert np.abs(found - expected).max() < 10 * np.finfo("float32").eps * np.abs(expected).max()


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
    # Views, tuples, frames, and the elements that numpy has at hand of arrays which lie in different orders.
    assert held <= graph.executor.plan.bytes_planned + made + 80_000


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
