"""What only a GPU can tell. Without one these skip, and say what is missing."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.compiled.engines.choice import PLAIN, engine_on
from hybridlint.runtime.compiled.engines.cuda.engine_fallback import GRAPH, LINE, SEGMENTS, VARIABLE, WAYS
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.trace import lower
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.gluon import nn
from hybridlint.runtime.platforms.cupy_platform import CUPY
from hybridlint.runtime.util import np_shape
from tests.runtime.compiled.lowered import calls
from tests.runtime.gpu.cuda.devices import assert_near, references
from tests.runtime.gpu.cuda.test_networks import Attention, lenet, trained

_MISSING = CUPY.missing()
pytestmark = pytest.mark.skipif(_MISSING is not None, reason=f"there is no GPU: {_MISSING}")


def test_generated_kernels_of_all_operators_are_the_same() -> None:
    with np_shape(True):
        symbols, given, _ = calls(ABILITIES)
        together = sym.Group(symbols)
        graph = lower(together, {name: TensorType(a.shape, a.dtype.name) for name, a in given.items()})
        platform = CUPY.platform(0)
        executor = engine_on(platform, PLAIN).compile(graph, training=False)
        arrays = [given[name] for name in together.list_inputs()]
        found = executor([platform.from_host(raw) for raw in arrays])
        assert executor.ways[-1].name == LINE
        assert_near([platform.to_host(raw) for raw in found], references(graph, arrays))


@pytest.mark.parametrize("make", [lenet, Attention])
@pytest.mark.parametrize("way", WAYS)
def test_networks_train_as_on_the_cpu(make: Any, way: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, way)
    shape = (4, 1, 8, 8) if make is lenet else (2, 5, 6)
    expected, found = (trained(make, shape, ctx) for ctx in (mx.cpu(), mx.gpu(0)))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-3, atol=1e-4)


def test_more_memory_than_there_is_is_an_error_and_the_gpu_goes_on() -> None:
    _, total = mx.context.gpu_memory_info(0)
    with pytest.raises(MXNetError, match=r"^gpu\(0\) is out of memory"):
        nd.zeros((total // 4 + 1,), ctx=mx.gpu(0))
    np.testing.assert_array_equal((nd.ones(2, ctx=mx.gpu(0)) + 1).asnumpy(), 2)


#: A kernel writes where it must not, in a process of its own.
_BREAKING = """
import cupy
import hybridlint.runtime as mx
x = mx.nd.ones(3, ctx=mx.gpu(0))
code = 'extern "C" __global__ void broken(int* p) { *p = 1; }'
cupy.RawKernel(code, "broken", backend="nvrtc")((1,), (1,), (8,))
for use in (mx.nd.waitall, x.asnumpy, lambda: mx.nd.ones(2, ctx=mx.gpu(0))):
    try:
        use()
    except mx.base.MXNetError as error:
        print(error)
mx.nd.waitall()
print((mx.nd.ones(2) + 1).asnumpy().tolist())
"""


def test_a_gpu_that_is_lost_leaves_a_process_that_computes_in_main_memory() -> None:
    done = subprocess.run([sys.executable, "-c", _BREAKING], capture_output=True, text=True, check=False)
    said = done.stdout.splitlines()
    assert len(said) == 4, done.stderr
    assert all(line.startswith("gpu(0) is lost to this process: cudaError") for line in said[:3])
    assert said[3] == "[2.0, 2.0]"


def test_a_captured_graph_is_replayed_with_other_data_and_parameters() -> None:
    net = nn.HybridSequential()
    net.add(nn.Dense(8, activation="relu", in_units=5), nn.Dense(3, in_units=8))
    net.initialize(ctx=mx.gpu(0))
    given = [nd.array(np.random.default_rng(k).normal(size=(4, 5)), ctx=mx.gpu(0)) for k in range(6)]
    expected = [net(x).asnumpy() for x in given]
    net.hybridize(static_alloc=True, static_shape=True)
    found = [net(x) for x in given]
    assert net.explain().graphs[0].executor.ways[-1].name in {GRAPH, SEGMENTS}
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b, rtol=1e-5, atol=1e-6)
    net[1].bias.set_data(net[1].bias.data() + 1)
    np.testing.assert_allclose(net(given[0]).asnumpy(), expected[0] + 1, rtol=1e-5, atol=1e-6)
