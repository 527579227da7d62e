"""Update operators of optimizers as native code: in place, of any size, whatever the rates are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from weakref import ref

import numpy as np
import pytest

from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.compiled.engines.choice import PLAIN
from hybridlint.runtime.compiled.engines.jit.llvm import features
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor, best
from hybridlint.runtime.compiled.engines.jit.updating import NativeUpdates
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.platforms.protocol import Raw
from tests.runtime.compiled.jit.engines import each_target, engine, native

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


def arrays(states: int, size: int) -> list[Raw]:
    generator = np.random.default_rng(size)
    return [generator.uniform(0.5, 1, size).astype("float32") for _ in range(2 + states)]


@native
@each_target
@pytest.mark.parametrize("size", [1, 15, 16, 1000])
@pytest.mark.parametrize("name", UPDATES)
def test_updates_are_those_of_the_kernels(name: str, size: int, target: TargetProcessor) -> None:
    op, (states, given) = registry.get(name), UPDATES[name]
    made = engine(target)
    for rate in (0.1, 0.03):
        params = normalize(op, {"lr": rate, **given})
        found, expected = arrays(states, size), arrays(states, size)
        changed = made.update(op, found, params)
        expected[0][...] = op.kernel(np, *expected, **params)
        assert sorted(changed) == [0, *range(2, 2 + states)]
        for mine, theirs in zip(found, expected, strict=True):
            np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)


@native
@each_target
def test_a_rate_that_changes_needs_no_new_code(target: TargetProcessor) -> None:
    op, made = registry.get("sgd_mom_update"), engine(target)
    for step in range(1, 20):
        params = normalize(op, {"lr": 1 / step, "momentum": 1 - 1 / step})
        assert made.update(op, arrays(1, 20), params)


@native
def test_arrays_that_are_updated_again_and_again_may_change_and_go() -> None:
    """Rates, other parameters, states that were replaced and operators are looked at; nothing is kept alive."""
    made = NativeUpdates(best(features()))
    step, plain = registry.get("sgd_mom_update"), registry.get("sgd_update")
    given, expected = arrays(1, 20), arrays(1, 20)
    for count, rate in enumerate((0.1, 0.1, 0.05, 0.05, 0.2, 0.2)):
        params = normalize(step, {"lr": rate, "momentum": 0.9, "clip_gradient": 0.2 if count > 3 else -1.0})
        if count == 2:
            given[2], expected[2] = given[2] * 2, expected[2] * 2
        assert sorted(made.update(step, given, params)) == [0, 2]
        expected[0][...] = step.kernel(np, *expected, **params)
    params = normalize(plain, {"lr": 0.1})
    assert made.update(plain, given[:2], params) == (0,)
    expected[0][...] = plain.kernel(np, *expected[:2], **params)
    for mine, theirs in zip(given, expected, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=1e-5, atol=1e-6)
    seen = [ref(raw) for raw in given]
    del mine
    given.clear()
    assert all(found() is None for found in seen)


@native
@each_target
@pytest.mark.parametrize(
    "given",
    [
        [np.ones(4), np.ones(4)],
        [np.ones((4, 4), "float32").T, np.ones((4, 4), "float32")],
        [np.ones(3, "float32"), np.ones(4, "float32")],
        [np.ones(0, "float32"), np.ones(0, "float32")],
    ],
    ids=["float64", "not in order", "different shapes", "without elements"],
)
def test_what_does_not_fit_is_left_as_it_is(given: list[Raw], target: TargetProcessor) -> None:
    op = registry.get("sgd_update")
    before = [raw.copy() for raw in given]
    assert engine(target).update(op, given, normalize(op, {"lr": 0.1})) == ()
    assert all((raw == old).all() for raw, old in zip(given, before, strict=True))


@native
@each_target
def test_what_depends_on_all_elements_is_left_to_numpy(target: TargetProcessor) -> None:
    op, weights = registry.get("softmax"), np.ones((4, 3), "float32")
    assert engine(target).update(op, [weights], {**op.defaults(), "axis": -1}) == ()


def test_the_plain_engine_leaves_them_to_the_kernels() -> None:
    op = registry.get("sgd_update")
    assert PLAIN.update(op, arrays(0, 4), normalize(op, {"lr": 0.1})) == ()


@native
def test_weights_are_packed_again_after_a_step() -> None:
    net = gluon.nn.Dense(4, in_units=3)
    net.initialize()
    net.hybridize(backend="jit")
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.5})
    x = nd.ones((2, 3))
    net(x)
    with autograd.record():
        loss = net(x).sum()
    loss.backward()
    trainer.step(1)
    weight, bias = (param.data().asnumpy() for param in net.collect_params().values())
    expected = x.asnumpy() @ weight.T + bias
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-5)
