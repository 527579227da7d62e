"""What a call takes that is like the one before: no more memory than was planned, and none behind Python's back."""

from __future__ import annotations

import re
import tracemalloc

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd
from hybridlint.runtime.compiled.engines.jit.executor import NativeExecutor
from hybridlint.runtime.compiled.engines.jit.llvm import YIELD
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
