"""Update operators of optimizers as generated kernels: in place, of any size, whatever the rates are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.cuda.engine import CudaEngine
from hybridlint.runtime.compiled.engines.cuda.updating import device_updates
from hybridlint.runtime.compiled.engines.numpy.straight_line import StraightLineEngine
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.platforms.devices import using
from hybridlint.runtime.platforms.protocol import Raw
from tests.runtime.gpu.cuda.nvrtc import ARCHITECTURES, assert_ptx, compiles_ptx
from tests.runtime.gpu.cuda.shim import Shim, runs_kernels
from tests.runtime.gpu.fake import FakeDevices, FakePlatform

#: Operators with the number of their states, and parameters.
UPDATES: Mapping[str, tuple[int, Mapping[str, Any]]] = {
    "sgd_update": (0, {"wd": 0.1}),
    "sgd_mom_update": (1, {"momentum": 0.9, "wd": 0.1, "rescale_grad": 0.25, "clip_gradient": 0.2}),
    "nag_mom_update": (1, {"momentum": 0.9}),
    "adam_update": (2, {"beta1": 0.8, "wd": 0.01}),
    "signum_update": (1, {"momentum": 0.9}),
    "rmsprop_update": (1, {"gamma1": 0.9}),
    "ftrl_update": (2, {"lamda1": 0.01}),
}


def engine(shim: Shim) -> CudaEngine:
    platform = FakePlatform(0, shim)
    return CudaEngine(platform, shim, StraightLineEngine(platform), PLAIN)


def arrays(states: int, size: int) -> list[Raw]:
    generator = np.random.default_rng(size)
    return [generator.uniform(0.5, 1, size).astype("float32") for _ in range(2 + states)]


@runs_kernels
@pytest.mark.parametrize("name", UPDATES)
def test_updates_are_those_of_the_kernels(name: str) -> None:
    op, (states, given) = registry.get(name), UPDATES[name]
    made, place = engine(Shim()), FakePlatform(0)
    for size, rate in ((1, 0.1), (257, 0.1), (1000, 0.03)):
        params = normalize(op, {"lr": rate, **given})
        found, expected = [place.from_host(raw) for raw in arrays(states, size)], arrays(states, size)
        changed = made.update(op, found, params)
        expected[0][...] = op.kernel(np, *expected, **params)
        assert sorted(changed) == [0, *range(2, 2 + states)]
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(place.to_host(mine), theirs, rtol=1e-5, atol=1e-6)


@runs_kernels
def test_weights_of_float16_are_rounded_and_their_masters_are_not() -> None:
    op, made, place = registry.get("mp_sgd_mom_update"), engine(Shim()), FakePlatform(0)
    weight, grad, momentum, master = arrays(2, 33)
    given = [weight.astype("float16"), grad.astype("float16"), momentum, master]
    params = normalize(op, {"lr": 0.1, "momentum": 0.9, "wd": 0.01})
    found = [place.from_host(raw) for raw in given]
    expected = [raw.copy() for raw in given]
    expected[0][...] = op.kernel(np, *expected, **params)
    assert sorted(made.update(op, found, params)) == [0, 2, 3]
    for mine, theirs in zip(found, expected, strict=True):
        assert mine.dtype == theirs.dtype
        np.testing.assert_allclose(place.to_host(mine), theirs, rtol=2e-3 if mine.dtype == "float16" else 1e-5)


@runs_kernels
def test_code_that_fails_leaves_updates_to_the_array_module() -> None:
    op, made, place = registry.get("sgd_update"), engine(Shim(failing=["launch"])), FakePlatform(0)
    params = normalize(op, {"lr": 0.1})
    for _ in range(2):
        given = [place.from_host(raw) for raw in arrays(0, 5)]
        assert made.update(op, given, params) == ()
        np.testing.assert_array_equal(place.to_host(given[0]), arrays(0, 5)[0])


@runs_kernels
def test_an_optimizer_steps_by_one_launch() -> None:
    shim = Shim()
    with using(FakeDevices(1, shim)):
        results = []
        for ctx in (mx.cpu(), mx.gpu(0)):
            weight, grad = (nd.array(raw, ctx=ctx) for raw in arrays(0, 40))
            updater = mx.optimizer.get_updater(mx.optimizer.Adam(learning_rate=0.1, wd=0.01))
            for _ in range(3):
                updater(0, grad, weight)
            results.append(weight.asnumpy())
    assert shim.launches == 3
    np.testing.assert_allclose(results[1], results[0], rtol=1e-5, atol=1e-6)


@compiles_ptx
def test_updates_become_ptx() -> None:
    sources: list[str] = []

    class Noted(Shim):
        def functions(self, source: str, names: Any) -> Any:
            sources.append(source)
            return [lambda *_: None for _ in names]

    place = FakePlatform(0)
    updates = device_updates(place, Noted())
    for name, (states, given) in UPDATES.items():
        op = registry.get(name)
        assert updates.update(
            op, [place.from_host(raw) for raw in arrays(states, 4)], normalize(op, {"lr": 1, **given})
        )
    for k, source in enumerate(sources):
        assert_ptx(source, ["update"], ARCHITECTURES[k % len(ARCHITECTURES)])
