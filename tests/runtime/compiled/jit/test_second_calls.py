"""What a call takes that is like the one before: no more memory than was planned, and none behind Python's back."""

from __future__ import annotations

import gc
import re
import tracemalloc
from collections.abc import Callable
from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.llvm import YIELD
from hybridlint.runtime.compiled.plan import bytes_of
from tests.models import scenario
from tests.models.architectures import CASES
from tests.runtime.compiled.jit.engines import native

#: Bytes of tuples, lists, frames and wrappers of arrays.
_OBJECTS = 16_000


@native
@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_a_second_call_takes_no_more_memory_than_was_planned(name: str, static: bool) -> None:
    case = CASES[name]
    net, given = scenario.build(mx, case), [nd.array(x) for x in case.inputs()]
    net.hybridize(backend="jit", static_alloc=static)
    made = sum(output._data.nbytes for output in scenario.flat(net(*given)))
    tracemalloc.start()
    try:
        net(*given)
        _, held = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    (graph,) = net.explain().graphs
    assert held <= graph.executor.plan.bytes_planned + made + _OBJECTS


def trained(name: str, *, static: bool) -> tuple[Any, Callable[[], None]]:
    """Return a network whose first training step is done, and what does the next one."""
    case = CASES[name]
    net, given = scenario.build(mx, case), [nd.array(x) for x in case.inputs()]
    net.hybridize(backend="jit", static_alloc=static)

    def step() -> None:
        with mx.autograd.record():
            outputs = scenario.flat(net(*given))
        mx.autograd.backward(outputs)

    step()
    return net, step


def taken(run: Callable[[], None]) -> tuple[int, int]:
    """Return the bytes that a call leaves behind, and those that it holds at most."""
    gc.collect()
    tracemalloc.start()
    try:
        run()
        return tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()


def gradients_of(net: Any) -> int:
    """Return the bytes of the gradients of its parameters."""
    return sum(p.grad().asnumpy().nbytes for p in net.collect_params().values() if p.grad_req != "null")


@native
@pytest.mark.parametrize("static", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_a_second_step_of_training_takes_no_more_memory_than_was_planned(name: str, static: bool) -> None:
    """The plan has what forward keeps for backward, and gradients; an output is made twice, as is its gradient."""
    net, step = trained(name, static=static)
    left, held = taken(step)
    graphs = net.explain().graphs
    outputs = sum(bytes_of(g.executor.plan.graph.types[v]) for g in graphs for v in g.executor.plan.graph.outputs)
    inside = sum(g.executor.plan.inside for g in graphs)
    assert held <= sum(g.executor.plan.bytes_planned for g in graphs) + 2 * (outputs - inside) + 10 * _OBJECTS
    assert left <= gradients_of(net) + 10 * _OBJECTS


@native
@pytest.mark.parametrize("name", CASES)
def test_with_static_memory_a_third_step_makes_outputs_and_their_gradients_alone(name: str) -> None:
    """What forward keeps for backward lies where it lay in the step before, which nobody has any longer."""
    net, step = trained(name, static=True)
    step()
    _, held = taken(step)
    graphs = net.explain().graphs
    outputs = sum(bytes_of(g.executor.plan.graph.types[v]) for g in graphs for v in g.executor.plan.graph.outputs)
    plain = sum(len(g.executor.steps) > 1 for g in graphs)
    assert plain or held <= 2 * (outputs - sum(g.executor.plan.inside for g in graphs)) + 10 * _OBJECTS


@native
@pytest.mark.parametrize("name", CASES)
def test_native_code_reserves_no_memory(name: str) -> None:
    """All that it calls are the instructions of LLVM, and what lets other threads run."""
    case = CASES[name]
    net, given = scenario.build(mx, case), [nd.array(x) for x in case.inputs()]
    net.hybridize(backend="jit")
    net(*given)
    (graph,) = net.explain().graphs
    assert isinstance(graph.executor, NativeExecutor)
    called = set(re.findall(r'declare .*@"([^"]+)"', graph.executor.source))
    assert called
    assert {name for name in called if not name.startswith("llvm.")} <= {YIELD}
