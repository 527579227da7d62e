"""Threads that run native code together compute what one alone does, to the last digit, whoever comes and when."""

from __future__ import annotations

import ctypes
import os
import threading
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import sym
from hybridlint.runtime.compiled.engines.jit import executor as executors
from hybridlint.runtime.compiled.engines.jit import kernel_threads as helping
from hybridlint.runtime.compiled.engines.jit import sharing
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.kernel_threads import KernelThreads
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor, best
from hybridlint.runtime.compiled.engines.threads import wished_threads
from hybridlint.runtime.compiled.graph import Graph
from hybridlint.runtime.symbol.symbol import Symbol
from tests.runtime.compiled.jit.engines import compiled, draw, each_target, engine, graph_of, native

X, Y, W, B = sym.var("x"), sym.var("y"), sym.var("w"), sym.var("b")


class Alone(KernelThreads):
    """Helpers who never come."""

    def ask(self, job: Callable[[], None]) -> None:
        """Forget the job."""


class Kept(KernelThreads):
    """Helpers who keep their jobs for later."""

    def __init__(self, count: int) -> None:
        super().__init__(count)
        self.jobs: list[Callable[[], None]] = []

    def ask(self, job: Callable[[], None]) -> None:
        """Keep the job."""
        self.jobs.append(job)


def use(monkeypatch: pytest.MonkeyPatch, helpers: KernelThreads) -> None:
    """Have native code shared with these helpers from now on, however short it is."""
    for name, least in (("_KERNEL", 0), ("_SHARE", 50), ("_RUN", 0)):
        monkeypatch.setattr(sharing, name, least)
    for module in (executors, helping):
        monkeypatch.setattr(module, "helpers", lambda: helpers)


def alone_and_shared(
    graph: Graph,
    target: TargetProcessor,
    monkeypatch: pytest.MonkeyPatch,
    arrays: Sequence[Any],
    helpers: KernelThreads,
) -> tuple[Any, Any, NativeExecutor]:
    """Return what a graph gives run by one thread, and by several, and the executor of the latter."""
    with monkeypatch.context() as context:
        use(context, KernelThreads(0))
        expected = compiled(engine(target), graph)(arrays)
    use(monkeypatch, helpers)
    shared = compiled(engine(target), graph)
    assert "lead0" in shared.source
    assert shared.compiling.endswith(f", shared by {helpers.count + 1} threads")
    return expected, shared(arrays), shared


GRAPHS: dict[str, tuple[Symbol, dict[str, tuple[int, ...]]]] = {
    "elements in one row": (sym.tanh(X * 2) + Y, {"x": (5, 331), "y": (5, 331)}),
    "elements in rows": (sym.broadcast_add(sym.exp(X), B), {"x": (37, 45), "b": (37, 1)}),
    "few long rows": (sym.broadcast_mul(X, B), {"x": (3, 700), "b": (3, 1)}),
    "a transposed copy": (sym.transpose(X), {"x": (37, 53)}),
    "rows added up": (sym.sum(X * X, axis=1), {"x": (41, 67)}),
    "columns added up": (sym.max(X, axis=0), {"x": (23, 101)}),
    "everything added up": (sym.sum(X), {"x": (23, 101)}),
    "the middle added up": (sym.sum(X, axis=1), {"x": (19, 5, 35)}),
    "a product": (sym.dot(X, Y), {"x": (61, 40), "y": (40, 75)}),
    "a product of few columns": (sym.dot(X, Y), {"x": (200, 40), "y": (40, 3)}),
    "a product of one row": (sym.dot(X, Y), {"x": (1, 40), "y": (40, 700)}),
    "a small product": (sym.dot(X, Y), {"x": (1, 40), "y": (40, 3)}),
    "products of batches": (sym.batch_dot(X, Y), {"x": (7, 17, 40), "y": (7, 40, 19)}),
    "a dense layer": (
        sym.relu(sym.FullyConnected(X, W, B, num_hidden=70)),
        {"x": (33, 20), "w": (70, 20), "b": (70,)},
    ),
    "a convolution": (
        sym.relu(sym.Convolution(X, W, B, kernel=(3, 3), pad=(1, 1), num_filter=20)),
        {"x": (2, 7, 13, 11), "w": (20, 7, 3, 3), "b": (20,)},
    ),
    "a convolution in squares": (
        sym.relu(sym.Convolution(X, W, B, kernel=(3, 3), pad=(1, 1), num_filter=32)),
        {"x": (3, 32, 16, 12), "w": (32, 32, 3, 3), "b": (32,)},
    ),
    "pooling": (sym.Pooling(X, kernel=(2, 2), stride=(2, 2), pool_type="max"), {"x": (2, 5, 14, 18)}),
    "softmax": (sym.softmax(X), {"x": (29, 43)}),
}


@native
@each_target
@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kind", [KernelThreads, Alone])
def test_what_is_shared_is_the_same(
    name: str, kind: type[KernelThreads], target: TargetProcessor, monkeypatch: pytest.MonkeyPatch
) -> None:
    symbol, shapes = GRAPHS[name]
    graph = graph_of(symbol, {each: shapes[each] for each in symbol.list_arguments()})
    arrays = draw(graph)
    expected, found, _ = alone_and_shared(graph, target, monkeypatch, arrays, kind(2))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def chain() -> Graph:
    """Return functions that need what others have computed, along both axes."""
    value = X
    for _ in range(6):
        value = sym.softmax(sym.transpose(sym.dot(value, value)), axis=1)
    return graph_of(value, {"x": (48, 48)})


@native
def test_a_helper_who_comes_late_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told to leave; and in a later run, whose shares it finds, it helps."""
    graph, target, helpers = chain(), best(features()), Kept(1)
    arrays = draw(graph)
    expected, _, shared = alone_and_shared(graph, target, monkeypatch, arrays, helpers)
    (late,) = helpers.jobs
    late()
    stop = threading.Event()

    def come_again() -> None:
        while not stop.is_set():
            late()

    thread = threading.Thread(target=come_again)
    thread.start()
    try:
        for _ in range(200):
            np.testing.assert_array_equal(shared(arrays)[0], expected[0])
    finally:
        stop.set()
        thread.join()


@native
def test_several_threads_run_one_graph_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    graph, target = chain(), best(features())
    generator = np.random.default_rng(3)
    arrays = [[generator.normal(size=(48, 48)).astype("float32")] for _ in range(4)]
    with monkeypatch.context() as context:
        use(context, KernelThreads(0))
        plain = compiled(engine(target), graph)
        expected = [plain(given)[0] for given in arrays]
    use(monkeypatch, KernelThreads(2))
    shared = compiled(engine(target), graph)
    wrong: list[int] = []

    def call(number: int) -> None:
        found = [shared(arrays[number])[0] for _ in range(50)]
        wrong.extend(number for each in found if not np.array_equal(each, expected[number]))

    threads = [threading.Thread(target=call, args=(k,)) for k in range(len(arrays))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


@native
def test_helpers_leave_where_nothing_happens(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread that leads may have been interrupted before it began."""
    helpers = Kept(1)
    graph = chain()
    _, _, shared = alone_and_shared(graph, best(features()), monkeypatch, draw(graph), helpers)
    (team,) = (work._team for work in shared.work if isinstance(work, executors.NativeSegment))
    assert team is not None
    table, words = (ctypes.c_void_p * 64)(), (ctypes.c_uint64 * 32)()
    team._help(ctypes.addressof(table), ctypes.addressof(words))


def test_helpers_end_when_they_are_told_to() -> None:
    """Nobody may be in native code while the interpreter ends."""
    helpers, done = KernelThreads(2), threading.Barrier(3)

    def meet() -> None:
        done.wait()

    helpers.ask(meet)
    meet()
    helpers._end()
    assert not any(thread.is_alive() for thread in helpers._threads)


@native
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
def test_a_child_process_has_helpers_of_its_own() -> None:
    parent = helping.helpers()
    child = os.fork()
    if not child:
        os._exit(0 if helping.helpers() is not parent else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert helping.helpers() is parent


def test_what_is_short_is_not_shared() -> None:
    assert sharing.shared_axis([1, 1]) is None
    assert sharing.shared_axis([]) is None
    assert sharing.shared_axis([2, 40, 100]) == 1
    assert sharing.shared_axis([2, 7, 3]) == 1


@native
def test_short_graphs_wake_nobody() -> None:
    graph = graph_of(sym.tanh(X), {"x": (6, 20)})
    executor = compiled(engine(best(features())), graph)
    assert "lead0" not in executor.source
    assert "threads" not in executor.compiling


def test_the_environment_says_how_many_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert wished_threads() == 3


@pytest.mark.parametrize("told", ["", "many", "0"])
def test_otherwise_there_is_one_for_each_core(told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", told)
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    assert wished_threads() == cores
