"""Optimizers and schedulers take the steps that the real MXNet takes; their states can be saved."""

from __future__ import annotations

import importlib.util
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, lr_scheduler, nd, optimizer
from hybridlint.runtime.base import MXNetError


def load_goldens() -> Any:
    path = Path(__file__).parents[1] / "goldens" / "optimizers.py"
    spec = importlib.util.spec_from_file_location("goldens_of_optimizers", path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


goldens = load_goldens()
answers = json.loads(goldens.ANSWERS.read_text())


@pytest.mark.parametrize("case", goldens.CASES)
def test_steps(case: str) -> None:
    np.testing.assert_allclose(goldens.steps(mx, case), answers[case], rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("schedule", goldens.SCHEDULES)
def test_schedules(schedule: str) -> None:
    np.testing.assert_allclose(goldens.rates(mx, schedule), answers[schedule], rtol=1e-6, atol=1e-9)


@pytest.mark.parametrize(
    ("schedule", "error", "message"),
    [
        ("FactorScheduler(0)", ValueError, "greater or equal than 1"),
        ("FactorScheduler(2, 1.5)", ValueError, "no more than 1"),
        ("MultiFactorScheduler([3, 2])", ValueError, "increasing"),
        ("MultiFactorScheduler(3)", AssertionError, "list"),
        ("PolyScheduler(0)", ValueError, "strictly positive"),
        ("CosineScheduler(1.5)", AssertionError, "max_update"),
        ("LRScheduler(warmup_begin_lr=1)", ValueError, "higher than warmup_begin_lr"),
        ("LRScheduler(warmup_mode='x')", ValueError, "linear and constant"),
        ("LRScheduler()(1)", NotImplementedError, "override"),
    ],
)
def test_schedules_that_make_no_sense(schedule: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        eval(schedule, vars(lr_scheduler))


@pytest.mark.parametrize("case", ["SGD(momentum=0.9, multi_precision=True)", "Adam(multi_precision=True)"])
def test_half_precision_has_a_master_copy(case: str) -> None:
    wide = goldens.steps(mx, case)
    np.testing.assert_allclose(goldens.steps(mx, case, "float16"), wide, rtol=5e-3, atol=2e-3)
    state = eval(case, vars(optimizer)).create_state_multi_precision(0, nd.ones((2,), dtype="float16"))
    assert state[0].dtype == np.float32


@pytest.mark.parametrize(
    ("name", "last"), [("SGD", True), ("NAG", True), ("LARS", True), ("LBSGD", False), ("Signum", False)]
)
def test_master_copies_stand_where_mxnets_states_have_them(name: str, last: bool) -> None:
    weight = nd.full((2,), 7, dtype="float16")
    state = getattr(optimizer, name)(momentum=0.9, multi_precision=True).create_state_multi_precision(0, weight)
    assert [float(array.asnumpy()[0]) for array in state] == ([0, 7] if last else [7, 0])


def test_own_optimizers_are_found_by_name() -> None:
    @optimizer.register
    class Halving(optimizer.Optimizer):
        def update(self, index: Any, weight: Any, grad: Any, state: Any) -> None:
            self._update_count(index)
            weight[:] -= self._get_lr(index) * grad

    layer = gluon.nn.Dense(1, in_units=1, use_bias=False)
    layer.initialize(mx.init.One())
    trainer = gluon.Trainer(layer.collect_params(), "halving", {"learning_rate": 0.5})
    with mx.autograd.record():
        loss = layer(nd.ones((1, 1)))
    loss.backward()
    trainer.step(1)
    assert layer.weight.data().asscalar() == 0.5
    del optimizer.Optimizer.opt_registry["halving"]


def test_multipliers_by_name_and_index() -> None:
    chosen = optimizer.SGD(learning_rate=1, wd=1, param_idx2name={0: "a_weight", 1: "a_bias"})
    assert [chosen._get_wd(k) for k in (0, 1, 2)] == [1, 0, 1]
    chosen.set_wd_mult({"a_bias": 2.0})
    chosen.set_lr_mult({"a_bias": 3.0, 2: 4.0})
    assert [chosen._get_wd(1), *(chosen._get_lr(k) for k in (0, 1, 2))] == [2, 1, 3, 4]


def test_a_schedulers_rate_cannot_be_set() -> None:
    chosen = optimizer.SGD(lr_scheduler=lr_scheduler.FactorScheduler(2, 0.5, base_lr=0.7))
    assert chosen.lr == chosen.learning_rate == 0.7
    with pytest.raises(UserWarning, match="already been defined"):
        chosen.set_learning_rate(1)


def trained(steps: int, states: Path | None = None) -> tuple[Any, Any]:
    """Train a layer; take and write states after the second step where a file is given."""
    layer = gluon.nn.Dense(2, in_units=2)
    layer.initialize(mx.init.One())
    trainer = gluon.Trainer(layer.collect_params(), "adam", {"learning_rate": 0.1})
    for step in range(steps):
        with mx.autograd.record():
            loss = (layer(nd.array([[1, 2], [3, -1]])) ** 2).sum()
        loss.backward()
        trainer.step(2)
        if states is not None and step == 1:
            trainer.save_states(str(states))
            trainer = gluon.Trainer(layer.collect_params(), "adam", {"learning_rate": 0.9})
            trainer.load_states(str(states))
    return layer.weight.data().asnumpy(), trainer.optimizer


def test_states_go_through_a_file(tmp_path: Path) -> None:
    straight, _ = trained(4)
    broken, chosen = trained(4, tmp_path / "states")
    np.testing.assert_array_equal(straight, broken)
    assert chosen.num_update == 4


@pytest.mark.parametrize("content", [b"", b"\x80\x03cmxnet.optimizer\nAdam\n.", b"cos\nsystem\n(S'true'\ntR."])
def test_other_files_are_no_states(content: bytes) -> None:
    with pytest.raises(MXNetError, match="no states"):
        optimizer.get_updater(optimizer.SGD()).set_states(content)


def test_stale_gradients_are_not_used_twice() -> None:
    layer = gluon.nn.Dense(1, in_units=1)
    layer.initialize()
    trainer = gluon.Trainer(layer.collect_params(), "sgd")
    with pytest.raises(UserWarning, match="has not been updated by backward"):
        trainer.step(1)
    with mx.autograd.record():
        loss = layer(nd.ones((1, 1)))
    loss.backward()
    trainer.step(1)
    before = layer.weight.data().asnumpy()
    trainer.step(1, ignore_stale_grad=True)
    assert layer.weight.data().asnumpy() == before
