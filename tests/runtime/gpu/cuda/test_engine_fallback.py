"""The ways to run on a GPU: which is taken, why others are not, and what happens where one fails."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.cuda.engine_fallback import VARIABLE, WAYS
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.compiled.lowering.lowering import sizes_of
from hybridlint.runtime.compiled.passes import optimize
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from tests.runtime.gpu.cuda.devices import assert_near, compiled, references, run
from tests.runtime.gpu.cuda.shim import DeviceError, DeviceMemoryError, Shim, runs_kernels

SHAPES = {"x": (6, 5), "w": (4, 5), "b": (4,)}


def chain() -> Graph:
    """Return a graph of launches alone, two of them."""
    x = sym.var("x")
    total = sym.sum(sym.exp(x), axis=0)
    return graph_of(sym.Group([total, sym.softmax(sym.tanh(x), axis=1)]))


def layers() -> Graph:
    """Return a graph with a matrix product between launches."""
    x = sym.softmax(sym.exp(sym.var("x")), axis=1) + sym.sum(sym.var("x"), axis=0, keepdims=True).broadcast_to((6, 5))
    return graph_of(sym.softmax(sym.FullyConnected(x, sym.var("w"), sym.var("b"), num_hidden=4), axis=0))


def sorting() -> Graph:
    """Return a graph in which nothing has a generated kernel."""
    return graph_of(sym.sort(sym.var("x")))


def graph_of(symbol: Any) -> Graph:
    return optimize(lower(symbol, {name: TensorType(SHAPES[name], "float32") for name in symbol.list_inputs()}))


def drawn(graph: Graph, seed: int = 0) -> list[Any]:
    generator = np.random.default_rng(seed)
    shapes = [sizes_of(graph.types[v]) for v in graph.inputs]
    return [generator.normal(size=shape).astype("float32") for shape in shapes]


def refusals(executor: Any) -> dict[str, str]:
    return {way.name: way.refused for way in executor.ways if way.refused is not None}


@runs_kernels
@pytest.mark.parametrize("way", WAYS)
def test_each_way_computes_the_same(way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, way)
    for graph in (chain(), layers(), sorting()):
        shim = Shim()
        executor = compiled(graph, shim)
        for seed in range(4):
            arrays = drawn(graph, seed)
            assert_near(run(executor, arrays), references(graph, arrays))
    assert refusals(compiled(chain(), Shim())) == dict.fromkeys(WAYS[: WAYS.index(way)], f"{VARIABLE} is {way}")
    assert compiled(chain(), Shim()).taken == way


@runs_kernels
def test_launches_alone_are_one_captured_graph_where_buffers_are_kept() -> None:
    shim, graph = Shim(), chain()
    executor = compiled(graph, shim, static_alloc=True)
    assert (executor.taken, refusals(executor)) == ("graph", {})
    for seed in range(5):
        arrays = drawn(graph, seed)
        assert_near(run(executor, arrays), references(graph, arrays))
    # The first call launches; the second has other data than the first, which are copied from then on.
    assert (shim.launches, shim.captures, shim.replays) == (2, 1, 4)


@runs_kernels
@pytest.mark.usefixtures("by_library")
def test_products_leave_captured_segments_between_them() -> None:
    shim, graph = Shim(), layers()
    executor = compiled(graph, shim, static_alloc=True)
    assert executor.taken == "segments"
    assert refusals(executor) == {"graph": "1 matrix product, and cuBLAS cannot be captured"}
    results = [run(executor, drawn(graph, seed)) for seed in range(3)]
    for seed, found in enumerate(results):
        assert_near(found, references(graph, drawn(graph, seed)))
    assert shim.captures == 2


@runs_kernels
def test_arrays_that_stay_are_read_where_they_are_and_results_are_nobodys_else() -> None:
    graph = chain()
    executor = compiled(graph, static_alloc=True)
    x = executor.platform.from_host(drawn(graph)[0])
    first = executor([x])
    x[...] = executor.platform.from_host(drawn(graph, 7)[0])
    second = executor([x])
    assert_near([executor.platform.to_host(raw) for raw in second], references(graph, drawn(graph, 7)))
    assert_near([executor.platform.to_host(raw) for raw in first], references(graph, drawn(graph)))


@runs_kernels
def test_buffers_that_are_not_kept_are_not_captured() -> None:
    executor = compiled(chain())
    assert executor.taken == "line"
    assert set(refusals(executor)) == {"graph", "segments"}
    assert "static_alloc" in refusals(executor)["graph"]


@runs_kernels
def test_small_products_are_captured_with_the_rest() -> None:
    shim, graph = Shim(), layers()
    executor = compiled(graph, shim, static_alloc=True)
    assert executor.taken == "graph"
    for seed in range(3):
        assert_near(run(executor, drawn(graph, seed)), references(graph, drawn(graph, seed)))
    assert shim.captures == 1


@runs_kernels
@pytest.mark.usefixtures("by_library")
def test_a_capture_that_fails_leaves_launches() -> None:
    graph = layers()
    executor = compiled(graph, Shim(failing=["capture"]), static_alloc=True)
    for seed in range(2):
        assert_near(run(executor, drawn(graph, seed)), references(graph, drawn(graph, seed)))
    assert executor.taken == "line"
    assert refusals(executor)["segments"] == "it failed: no capture here"


def test_code_that_cannot_be_compiled_leaves_the_array_module() -> None:
    graph = layers()
    executor = compiled(graph, Shim(failing=["compile"]))
    assert executor.taken == "eager"
    assert refusals(executor)["line"] == "compiling failed: no compile here"
    assert {step.engine for step in executor.steps} == {"fake"}
    assert_near(run(executor, drawn(graph)), references(graph, drawn(graph)))


@runs_kernels
def test_launches_that_fail_leave_the_array_module() -> None:
    graph = layers()
    executor = compiled(graph, Shim(failing=["launch"]))
    assert_near(run(executor, drawn(graph)), references(graph, drawn(graph)))
    assert refusals(executor)["line"] == "it failed: no launch here"


def test_an_array_module_that_fails_leaves_main_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = sorting()
    executor = compiled(graph, Shim())
    assert (executor.taken, refusals(executor)["line"]) == ("eager", "no operator has a generated kernel")

    def fails(*_: Any) -> Any:
        with executor.platform.computing():
            raise DeviceError("the driver fails")

    monkeypatch.setitem(executor._made, "eager", fails)
    assert_near(run(executor, drawn(graph)), references(graph, drawn(graph)))
    assert executor.taken == "cpu"
    assert refusals(executor)["eager"] == "it failed: the driver fails"
    monkeypatch.setitem(executor._made, "cpu", fails)
    with pytest.raises(MXNetError, match=r"gpu\(0\) has failed: the driver fails"):
        run(executor, drawn(graph))


@runs_kernels
def test_a_lack_of_memory_is_an_error_and_no_other_way() -> None:
    graph, shim = chain(), Shim(error=DeviceMemoryError)
    executor = compiled(graph, shim)
    shim.failing.add("launch")
    with pytest.raises(MXNetError, match=r"gpu\(0\) is out of memory: no launch here"):
        run(executor, drawn(graph))
    shim.failing.clear()
    assert executor.taken == "line"
    assert_near(run(executor, drawn(graph)), references(graph, drawn(graph)))


def test_a_way_that_there_is_not_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(MXNetError, match="names no way to run on a GPU, 'fast': choose graph or segments"):
        compiled(chain(), Shim())
