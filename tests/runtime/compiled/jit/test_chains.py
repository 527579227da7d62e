"""Threads take rows of their own through several kernels where no row needs another, and the numbers are the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit.chains import Chain, chains
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.kernel_threads import KernelThreads
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.segment import NativeSegment
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor, best
from hybridlint.runtime.compiled.lowering.kernels import Access, Buffer, Kernel, Loop, Tree
from hybridlint.runtime.compiled.lowering.memory import arrange_scratch
from hybridlint.runtime.compiled.lowering.values import Given
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, draw, each_target, engine, graph_of, native
from tests.runtime.compiled.jit.test_thread_team import Alone, alone_and_shared, use

Shapes = Mapping[str, tuple[int, ...]]


def dense(x: Any, name: str, size: int) -> Any:
    return sym.FullyConnected(x, sym.var(f"{name}_w"), sym.var(f"{name}_b"), num_hidden=size, flatten=False)


def recurrent(steps: int) -> tuple[Symbol, Shapes]:
    """Return an LSTM on 16 rows, whose steps take weights from one vector."""
    states = {"state": (1, 16, 8), "cell": (1, 16, 8)}
    given = [sym.var(name) for name in ("x", "parameters", *states)]
    output = sym.RNN(*given, state_size=8, num_layers=1, mode="lstm")
    return output, {"x": (steps, 16, 6), "parameters": (4 * 8 * (6 + 8 + 2),), **states}


def pictures() -> tuple[Symbol, Shapes]:
    """Return two convolutions with pools, and a dense layer on them."""
    x = sym.var("x")
    for k, channels in enumerate((5, 7)):
        filters = sym.Convolution(x, sym.var(f"w{k}"), sym.var(f"b{k}"), kernel=(3, 3), pad=(1, 1), num_filter=channels)
        x = sym.Pooling(sym.relu(filters), kernel=(2, 2), stride=(2, 2), pool_type="max")
    shapes = {"w0": (5, 2, 3, 3), "b0": (5,), "w1": (7, 5, 3, 3), "b1": (7,), "out_w": (9, 63), "out_b": (9,)}
    return dense(sym.flatten(x), "out", 9), {"x": (16, 2, 12, 12), **shapes}


def squares() -> tuple[Symbol, Shapes]:
    """Return two convolutions with pools, of which the second one takes Winograd's algorithm."""
    x = sym.var("x")
    for k, channels in enumerate((7, 32)):
        filters = sym.Convolution(x, sym.var(f"w{k}"), sym.var(f"b{k}"), kernel=(5, 5), num_filter=channels)
        x = sym.Pooling(sym.relu(filters), kernel=(2, 2), stride=(2, 2), pool_type="avg")
    shapes = {"w0": (7, 1, 5, 5), "b0": (7,), "w1": (32, 7, 5, 5), "b1": (32,), "out_w": (9, 512), "out_b": (9,)}
    return dense(sym.flatten(x), "out", 9), {"x": (24, 1, 28, 28), **shapes}


def layers() -> tuple[Symbol, Shapes]:
    """Return dense layers of several widths, of which two are added up."""
    first = sym.tanh(dense(sym.var("x"), "a", 21))
    second = sym.relu(dense(first, "b", 21)) + first
    shapes = {"a_w": (21, 10), "a_b": (21,), "b_w": (21, 21), "b_b": (21,), "c_w": (3, 21), "c_b": (3,)}
    return dense(second, "c", 3), {"x": (32, 10), **shapes}


GRAPHS = {"layers": layers(), "steps": recurrent(4), "pictures": pictures(), "squares": squares()}


def chains_of(executor: NativeExecutor) -> Sequence[Chain]:
    (segment,) = (work for work in executor.work if isinstance(work, NativeSegment))
    assert segment.chains is not None
    return segment.chains


@native
@each_target
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kind", [KernelThreads, Alone])
def test_rows_that_go_their_own_ways_have_the_same_numbers(
    name: str, kind: type[KernelThreads], target: TargetProcessor, monkeypatch: pytest.MonkeyPatch
) -> None:
    symbol, shapes = GRAPHS[name]
    graph = graph_of(symbol, {each: shapes[each] for each in symbol.list_arguments()})
    arrays = draw(graph)
    expected, found, shared = alone_and_shared(graph, target, monkeypatch, arrays, kind(1))
    (chain,) = chains_of(shared)
    assert len(chain.parts) > 2
    for _ in range(20):
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_array_equal(a, b)
        found = shared(arrays)


@native
def test_each_row_is_one_threads_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """What looks at other rows, or turns them, ends a chain."""
    use(monkeypatch, KernelThreads(1))
    x, made = sym.var("x"), engine(best(features()))
    shifted = sym.tanh(sym.reverse(sym.tanh(sym.dot(x, x)), axis=0))
    turned = sym.dot(sym.transpose(sym.dot(x, x)), x)
    added = sym.broadcast_add(sym.dot(x, x), sym.sum(sym.dot(x, x), axis=0, keepdims=True))
    for symbol in (sym.dot(shifted, x), turned, added):
        graph = graph_of(symbol, {"x": (32, 32)})
        executor = compiled(made, graph)
        for chain in chains_of(executor):
            assert len(chain.parts) < len(list(kernels_of(executor)))
        expected = compiled(engine(best(features())), graph)(draw(graph))
        np.testing.assert_array_equal(executor(draw(graph))[0], expected[0])


def kernels_of(executor: NativeExecutor) -> Sequence[Kernel]:
    (segment,) = (work for work in executor.work if isinstance(work, NativeSegment))
    return segment.kernels


@native
@pytest.mark.parametrize(
    ("rows", "threads", "shares"), [(32, 2, [4]), (16, 2, [2]), (24, 3, [3]), (8, 2, []), (35, 2, [])]
)
def test_products_are_not_split_into_few_rows(
    rows: int, threads: int, shares: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, KernelThreads(threads - 1))
    symbol, shapes = GRAPHS["layers"]
    executor = compiled(engine(best(features())), graph_of(symbol, {**shapes, "x": (rows, 10)}))
    assert [chain.shares for chain in chains_of(executor)] == shares


def copied(source: Buffer, target: Buffer, rows: int, first: int = 0) -> Loop:
    """Return a kernel that copies rows of 4."""
    value = Given((rows, 4))
    return Loop((rows, 4), Tree(value, {value: Access(source, first * 4, (4, 1))}), Access(target, 0, (4, 1)))


def test_memory_of_a_chain_is_shared_row_by_row_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """A buffer may follow another of the same size; what is not divided into rows lasts as long as the chain."""
    use(monkeypatch, KernelThreads(1))
    buffers = [Buffer(k, 4096) for k in range(5)]
    loops = [copied(buffers[k], buffers[k + 1], 1024) for k in range(4)]
    target = best({})
    (chain,) = chains(loops, target, 2)
    assert (chain.first, chain.end, chain.shares) == (0, 4, 4)
    assert chain.divided == set(buffers)
    together = [(range(chain.first, chain.end), chain.divided)]
    assert arrange_scratch(loops).size == arrange_scratch(loops, together=together).size == 2 * 4096 * 4
    assert arrange_scratch(loops, together=[(range(4), frozenset())]).size == 5 * 4096 * 4
    other = [*loops[:2], copied(buffers[2], Buffer(5, 4100), 1024)]
    (chain,) = chains(other, target, 2)
    assert arrange_scratch(other, together=[(range(3), chain.divided)]).size == 2 * 4096 * 4 + 16512


def test_rows_further_on_are_others_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, KernelThreads(1))
    first, second, third = (Buffer(k, 8192) for k in range(3))
    target = best({})
    (chain,) = chains([copied(first, second, 1024), copied(second, third, 1024)], target, 2)
    assert len(chain.parts) == 2
    assert not chains([copied(first, second, 1024), copied(second, third, 1024, first=1)], target, 2)
    (chain,) = chains([copied(first, second, 1024), copied(second, third, 1024, first=1024)], target, 2)
    assert len(chain.parts) == 2
