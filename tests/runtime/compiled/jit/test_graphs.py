"""Whole graphs as native code: what is computed together, what falls back, and what memory is used."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from hybridlint.runtime import gluon, nd, sym
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.jit.engine import JitEngine
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.object_files import FOLDER
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TARGETS, TargetProcessor, best
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.platforms.protocol import Raw
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import (
    assert_same,
    compiled,
    draw,
    each_target,
    engine,
    graph_of,
    kernels,
    matches,
    native,
)

X = {"x": (6, 20)}


def here() -> JitEngine:
    """Return the engine for the processor of this machine."""
    return engine(best(features()))


@native
def test_functions_of_elements_are_one_loop() -> None:
    x = sym.var("x")
    graph = graph_of(sym.tanh(x * 2 + sym.exp(x)) - sym.broadcast_mul(x, sym.var("v")), {**X, "v": (1, 20)})
    executor = compiled(here(), graph)
    assert kernels(executor) == {"Loop": 1}
    matches(executor, graph)


@native
@each_target
def test_long_sums_are_sums_of_short_ones(target: TargetProcessor) -> None:
    """Four thousand numbers one after another would err by 4e-5."""
    graph = graph_of(sym.dot(sym.var("x"), sym.var("y")), {"x": (2, 4000), "y": (4000, 3)})
    (found,) = compiled(engine(target), graph)([np.full((2, 4000), 0.1, "float32"), np.ones((4000, 3), "float32")])
    assert np.abs(found / (4000 * np.float64(np.float32(0.1))) - 1).max() < 5e-6


@native
@each_target
def test_a_dense_layer_is_finished_where_it_is_computed(target: TargetProcessor) -> None:
    dense = sym.FullyConnected(sym.var("x"), sym.var("w"), sym.var("b"), num_hidden=9)
    residual = sym.Activation(dense, act_type="relu") + sym.var("r")
    graph = graph_of(residual, {**X, "w": (9, 20), "b": (9,), "r": (6, 9)})
    executor = compiled(engine(target), graph)
    assert kernels(executor) == {"Pack": 1, "NativeProduct": 1}
    matches(executor, graph)


@native
@each_target
@pytest.mark.parametrize(
    ("left", "right"),
    [
        ((1, 5), (5, 3)),
        ((13, 64), (64, 32)),
        ((29, 7), (7, 50)),
        ((3, 17, 40), (3, 40, 16)),
        ((2, 3, 1, 2), (2, 3, 2, 1)),
    ],
)
def test_products_of_all_sizes(left: tuple[int, ...], right: tuple[int, ...], target: TargetProcessor) -> None:
    multiply = sym.batch_dot if len(left) > 2 else sym.dot
    graph = graph_of(multiply(sym.var("a"), sym.var("b")), {"a": left, "b": right})
    matches(compiled(engine(target), graph), graph)


@native
@pytest.mark.parametrize("flags", [(False, True), (True, False), (True, True)])
def test_products_of_transposed_operands(flags: tuple[bool, bool]) -> None:
    shapes = {"a": (4, 6, 19) if flags[0] else (4, 19, 6), "b": (4, 33, 6) if flags[1] else (4, 6, 33)}
    product = sym.batch_dot(sym.var("a"), sym.var("b"), transpose_a=flags[0], transpose_b=flags[1])
    graph = graph_of(product * 2, shapes)
    executor = compiled(here(), graph)
    assert kernels(executor) == {"Pack": 1, "NativeProduct": 1}
    matches(executor, graph)


@native
def test_a_value_that_several_nodes_need_is_computed_once() -> None:
    y = sym.exp(sym.var("x"))
    graph = graph_of(sym.Group([sym.sum(y, axis=1), sym.transpose(y), sym.sum(y, axis=0)]), X)
    executor = compiled(here(), graph)
    assert kernels(executor) == {"Loop": 2, "Fold": 2}
    matches(executor, graph)


@native
def test_what_has_no_native_code_runs_on_the_plain_engine_in_between() -> None:
    y = sym.sort(sym.exp(sym.var("x")), axis=1)
    graph = graph_of(sym.tanh(y) + 1, X)
    executor = compiled(here(), graph)
    told = [(step.engine, [node.op.name for node in step.nodes], step.reason) for step in executor.steps]
    assert told == [
        ("jit", ["exp"], None),
        ("numpy", ["sort"], "no native code: the function sort"),
        ("jit", ["tanh", "_plus_scalar"], None),
    ]
    matches(executor, graph)


@native
def test_a_graph_without_native_code_is_the_plain_engines() -> None:
    graph = optimize(lower(sym.exp(sym.var("x")), {"x": TensorType((3,), "float64")}))
    executor = here().compile(graph, training=False)
    assert [step.engine for step in executor.steps] == ["numpy"]


@native
def test_outputs_are_their_own_memory() -> None:
    x = sym.var("x")
    y = sym.exp(x)
    graph = graph_of(sym.Group([y, y, x, sym.identity(x), sym.reshape(y, shape=(-1,))]), X)
    executor = compiled(here(), graph, static_alloc=True)
    arrays = draw(graph)
    first, second = executor(arrays), executor(arrays)
    for k, one in enumerate(first):
        others = [*first[:k], *first[k + 1 :], *second, *arrays]
        assert not any(np.may_share_memory(one, other) for other in others)
    assert_same(first, PLAIN.compile(graph, training=False)(arrays))


@native
def test_a_loop_that_holds_its_last_output_takes_the_memory_of_two_in_turns() -> None:
    graph = graph_of(sym.exp(sym.var("x")), X)
    executor, arrays = compiled(here(), graph, static_alloc=True), draw(graph)
    places = []
    for _ in range(6):
        (held,) = executor(arrays)
        places.append(held.ctypes.data)
    assert len(set(places)) == 2
    assert_same([held], PLAIN.compile(graph, training=False)(arrays))


@native
def test_deep_graphs_and_long_sequences() -> None:
    deep = sym.var("x")
    for k in range(300):
        deep = sym.tanh(sym.FullyConnected(deep, sym.var("w"), num_hidden=20, no_bias=True, name=f"d{k}")) + deep * 0.5
    graph = graph_of(deep, {**X, "w": (20, 20)})
    arrays = [raw * 0.1 for raw in draw(graph)]
    matches(compiled(here(), graph), graph, arrays=arrays)
    layer = sym.RNN(*map(sym.var, "xphc"), state_size=4, num_layers=1, mode="lstm")
    shapes = {"x": (250, 2, 3), "p": (4 * 4 * (3 + 4 + 2),), "h": (1, 2, 4), "c": (1, 2, 4)}
    sequence = graph_of(layer, shapes)
    matches(compiled(here(), sequence), sequence)


@native
def test_memory_is_planned_and_shared_by_what_lives_at_different_times() -> None:
    y = sym.var("x")
    for _ in range(6):
        y = sym.softmax(y)
    executor = compiled(here(), graph_of(y, {"x": (64, 64)}))
    each = 64 * 64 * 4
    assert executor.plan.bytes_planned < 4 * each
    matches(executor, executor.plan.graph)


@native
def test_inputs_may_lie_in_any_order() -> None:
    graph = graph_of(sym.exp(sym.var("x")), {"x": (4, 5)})
    executor = compiled(here(), graph)
    raw = np.arange(20, dtype="float32").reshape(5, 4).T / 10
    fixed = np.ones((4, 5), "float32")
    fixed.setflags(write=False)
    for given in (raw, fixed):
        assert_same(executor([given]), [np.exp(given)])


@native
def test_several_threads_may_call() -> None:
    graph = graph_of(sym.softmax(sym.exp(sym.var("x"))) * 3, {"x": (40, 200)})
    executor = compiled(here(), graph, static_alloc=True)
    inputs = [draw(graph, seed) for seed in range(4)]
    expected = [PLAIN.compile(graph, training=False)(arrays) for arrays in inputs]
    wrong: list[BaseException] = []

    def work(k: int) -> None:
        try:
            for _ in range(20):
                assert_same(executor(inputs[k]), expected[k])
        except AssertionError as error:
            wrong.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


@native
def test_object_code_is_kept_and_damaged_files_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    graph = graph_of(sym.exp(sym.var("x")) + 3, X)
    assert not compiled(here(), graph).native.cached
    again = compiled(here(), graph)
    assert again.native.cached
    assert again.compiling is not None
    assert "of native code, from disk in" in again.compiling
    # What names it by the loops of the graph, and by their IR.
    for kept in tmp_path.iterdir():
        kept.write_bytes(kept.read_bytes()[:-1])
    repaired = compiled(here(), graph)
    assert not repaired.native.cached
    matches(repaired, graph)
    monkeypatch.setenv(FOLDER, "")
    assert not compiled(here(), graph).native.cached


def _of_many(function: Callable[[Symbol], Symbol]) -> Symbol:
    total: Symbol = sym.add_n(*(function(sym.var(f"x{k}") * k) for k in range(6)))
    return total


@native
@pytest.mark.parametrize("function", [sym.tanh, sym.transpose], ids=["elements", "turned"])
def test_object_code_does_not_depend_on_where_the_objects_of_a_graph_lie(
    function: Callable[[Symbol], Symbol], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, str(tmp_path))
    shapes = {f"x{k}": (48, 80) for k in range(6)}
    # All are kept, so that none lies where another did.
    graphs = [graph_of(_of_many(function), shapes) for _ in range(6)]
    assert [compiled(here(), graph).native.cached for graph in graphs] == [False] + [True] * 5


ONE: list[Callable[[Symbol], Symbol]] = [
    sym.tanh,
    sym.relu,
    lambda x: sym.softmax(x, axis=0),
    sym.transpose,
    lambda x: sym.dot(x, x),
    lambda x: sym.reshape(sym.reshape(x, shape=(-1,)), shape=(8, 8)),
    lambda x: sym.broadcast_sub(x, sym.mean(x, axis=1, keepdims=True)),
    lambda x: sym.slice_axis(sym.concat(x, x * 2, dim=1), axis=1, begin=4, end=12),
    lambda x: sym.where(sym.broadcast_greater(x, sym.transpose(x)), x, x * 0.5),
    lambda x: sym.sort(x, axis=1),
    lambda x: sym.stack(*sym.split(x, num_outputs=8, axis=0, squeeze_axis=True), axis=1),
]


@native
@pytest.mark.parametrize("target", TARGETS[:2], ids=lambda target: target.name)
@pytest.mark.parametrize("seed", range(6))
def test_random_graphs_compute_the_same(seed: int, target: TargetProcessor) -> None:
    made = engine(target)
    generator = np.random.default_rng(seed)
    values = [sym.var("x"), sym.var("y")]
    for _ in range(14):
        one, other = (values[k] for k in generator.integers(0, len(values), 2))
        if generator.random() < 0.3:
            values.append((one + other) * 0.5)
        else:
            values.append(sym.tanh(ONE[generator.integers(0, len(ONE))](one)))
    outputs = [values[-1], *(values[k] for k in generator.integers(2, len(values), 2))]
    graph = graph_of(sym.Group(outputs), dict.fromkeys("xy", (8, 8)))
    matches(compiled(made, graph, static_alloc=True), graph, seed)


@native
def test_a_block_runs_natively() -> None:
    net = gluon.nn.HybridSequential()
    net.add(
        gluon.nn.Dense(16, activation="relu", in_units=8),
        gluon.nn.LayerNorm(in_channels=16),
        gluon.nn.Dense(3, in_units=16),
    )
    net.initialize()
    x = nd.random.uniform(shape=(5, 8))
    eager = net(x).asnumpy()
    net.hybridize(backend="jit", static_alloc=True)
    np.testing.assert_allclose(net(x).asnumpy(), eager, rtol=1e-5, atol=1e-6)
    net[0].weight.set_data(net[0].weight.data() * 0)
    net[0].bias.set_data(net[0].bias.data() * 0)
    changed = net(x).asnumpy()
    net.hybridize(active=False)
    np.testing.assert_allclose(changed, net(x).asnumpy(), rtol=1e-5, atol=1e-6)


def packed(executor: NativeExecutor, arrays: list[Raw]) -> int:
    """Return how many panels a call packs."""
    (segment,) = (work for work in executor.work if isinstance(work, NativeSegment))
    calls: list[int] = []

    def counted(call: Callable[[int], None]) -> Callable[[int], None]:
        def run(table: int) -> None:
            calls.append(table)
            call(table)

        return run

    before = segment.pack_calls
    segment.pack_calls = [(source, counted(call)) for source, call in before]
    executor(arrays)
    segment.pack_calls = before
    return len(calls)


@native
@pytest.mark.parametrize("static", [False, True])
def test_weights_are_packed_once_for_each_version(static: bool) -> None:
    dense = sym.FullyConnected(sym.var("x"), sym.var("w"), sym.var("b"), num_hidden=9)
    graph = graph_of(dense, {**X, "w": (9, 20), "b": (9,)})
    executor = compiled(here(), graph, static_alloc=static)
    x, weight, bias = (nd.array(raw) for raw in draw(graph))
    raws = [x._data, weight._data, bias._data]
    assert [packed(executor, raws), packed(executor, raws), packed(executor, [x._data.copy(), *raws[1:]])] == [1, 0, 0]

    def by_view() -> None:
        weight[2:4][0, 3] = 5

    def by_optimizer() -> None:
        nd.sgd_update(weight, weight * 0.5, lr=0.1, out=weight)

    changes: list[Callable[[], object]] = [
        by_view,
        by_optimizer,
        lambda: weight.__setitem__(slice(None), 2),
        lambda: weight.__iadd__(1),
        lambda: weight._sync_copyfrom(np.ones((9, 20))),
        lambda: nd.random.normal(shape=(9, 20), out=weight),
    ]
    for change in changes:
        change()
        assert packed(executor, raws) == 1
        assert packed(executor, raws) == 0
        assert_same(executor(raws), PLAIN.compile(graph, training=False)(raws))
    other = nd.array(weight.asnumpy() + 1)
    assert packed(executor, [raws[0], other._data, raws[2]]) == 1, "another array in the same place"
    weight.to_dlpack_for_write()
    assert [packed(executor, raws), packed(executor, raws)] == [1, 1], "others may write there at any time"


@native
@each_target
def test_code_of_large_graphs_goes_through_few_passes_to_the_same_numbers(
    target: TargetProcessor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(FOLDER, "")
    convolved = sym.Convolution(sym.var("x"), name="c", num_filter=20, kernel=(3, 3), no_bias=True)
    symbol = sym.softmax(sym.FullyConnected(sym.tanh(convolved) * 2 + 1, name="d", num_hidden=7))
    graph = graph_of(symbol, {"x": (2, 3, 9, 8), "c_weight": (20, 3, 3, 3), "d_weight": (7, 840), "d_bias": (7,)})
    (many,) = compiled(engine(target), graph)(draw(graph))
    monkeypatch.setattr("hybridlint.runtime.compiled.engines.jit.llvm._LARGE", 0)
    (few,) = compiled(engine(target), graph)(draw(graph))
    np.testing.assert_array_equal(few, many)


@native
@pytest.mark.parametrize(
    "function",
    [
        *(lambda x, name=name: sym.LeakyReLU(x, act_type=name) for name in ("leaky", "elu", "selu", "gelu")),
        lambda x: sym.Activation(x, act_type="softrelu"),
        lambda x: sym.where(x > 0, x, sym.tanh(x)),
        lambda x: x**3,
        *(
            lambda x, kind=kind: sym.Pooling(x, kernel=(3, 3), stride=(2, 2), pad=(1, 1), pool_type=kind)
            for kind in ("avg", "max")
        ),
    ],
)
def test_what_numpy_computes_in_a_way_of_its_own_is_native_still(function: Callable[[Symbol], Symbol]) -> None:
    # As many elements as numpy's ways are for.
    graph = graph_of(function(sym.var("x")) + 1, {"x": (2, 8, 32, 64)})
    executor = compiled(here(), graph)
    assert [type(work) for work in executor.work] == [NativeSegment]
    matches(executor, graph)
