"""What only a GPU can tell. Without one these skip, and say what is missing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd, sym
from hybridlint.runtime.compiled.engines.choice import PLAIN, engine_on
from hybridlint.runtime.compiled.engines.cuda.functions import ABILITIES
from hybridlint.runtime.compiled.engines.cuda.ladder import GRAPH, LINE, SEGMENTS, VARIABLE, WAYS
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
