"""Trainer and optimizers take the steps that the real MXNet takes; helpers for batches and norms."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd
from hybridlint.runtime.gluon import nn, utils

#: Weights of a layer after three steps on one batch, as the real MXNet computed them.
STEPS: list[tuple[str, dict[str, Any], list[float]]] = [
    ("sgd", {"learning_rate": 0.1}, [0.0331, 0.0417, 0.0043, -0.0359]),
    ("sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.01}, [-0.00477776, -0.1161863, -0.1717035, 0.3110578]),
    ("nag", {"learning_rate": 0.1, "momentum": 0.9}, [0.0098179, -0.0450267, -0.1029414, 0.1562509]),
    ("adam", {"learning_rate": 0.1}, [0.01365999, -0.05577979, 0.02440395, -0.10571697]),
    (
        "adam",
        {"learning_rate": 0.1, "wd": 0.01, "clip_gradient": 0.5, "beta1": 0.8},
        [0.05735294, -0.05137217, 0.00150148, -0.09999822],
    ),
]


@pytest.mark.parametrize("hybridize", [False, True], ids=["eager", "hybridized"])
@pytest.mark.parametrize(("name", "params", "expected"), STEPS)
def test_three_steps(name: str, params: dict[str, Any], expected: list[float], hybridize: bool) -> None:
    layer = nn.Dense(2, in_units=2)
    layer.initialize()
    layer.hybridize(hybridize)
    layer.weight.set_data(nd.array([[0.1, 0.2], [0.3, -0.4]]))
    trainer = gluon.Trainer(layer.collect_params(), name, params)
    for _ in range(3):
        with mx.autograd.record():
            loss = (layer(nd.array([[1, 2], [3, -1]])) ** 2).sum()
        loss.backward()
        trainer.step(2)
    np.testing.assert_allclose(layer.weight.data().asnumpy().ravel(), expected, rtol=2e-5, atol=2e-6)


def test_learning_rate_can_be_set() -> None:
    layer = nn.Dense(1)
    layer.initialize()
    trainer = gluon.Trainer(layer.collect_params(), "sgd", {"learning_rate": 0.3})
    trainer.set_learning_rate(0.5)
    assert trainer.learning_rate == 0.5


def on_two_contexts(**options: Any) -> tuple[gluon.Parameter, gluon.Trainer]:
    param = gluon.Parameter("w", shape=(2,))
    param.initialize(init="zeros", ctx=[mx.cpu(0), mx.cpu(1)])
    return param, gluon.Trainer([param], "sgd", {"learning_rate": 1.0, "momentum": 0.5}, **options)


def descend(param: gluon.Parameter) -> None:
    with mx.autograd.record():
        for k, data in enumerate(param.list_data()):
            (data * (k + 1)).backward()


def test_a_store_updates_parameters_on_several_contexts(tmp_path: Path) -> None:
    param, trainer = on_two_contexts()
    descend(param)
    trainer.step(1)
    assert [d.asnumpy().tolist() for d in param.list_data()] == [[-3, -3], [-3, -3]]
    with pytest.raises(AssertionError, match="update_on_kvstore"):
        trainer.update(1)
    with pytest.raises(AssertionError, match="update_on_kvstore"):
        trainer.allreduce_grads()
    trainer.save_states(str(tmp_path / "states"))
    trainer.load_states(str(tmp_path / "states"))
    descend(param)
    trainer.step(1)
    assert param.data(mx.cpu(1)).asnumpy().tolist() == [-7.5, -7.5]


def test_gradients_are_summed_before_the_update() -> None:
    param, trainer = on_two_contexts(update_on_kvstore=False)
    descend(param)
    trainer.allreduce_grads()
    assert [g.asnumpy().tolist() for g in param.list_grad()] == [[3, 3], [3, 3]]
    trainer.update(1)
    assert param.data(mx.cpu(1)).asnumpy().tolist() == [-3, -3]


def test_a_store_of_ones_own_sums_gradients(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mx.kvstore.KVStoreBase, "kv_registry", {})

    @mx.kvstore.KVStoreBase.register
    class Doubling(mx.kvstore.KVStoreBase):
        @staticmethod
        def is_capable(capability: str) -> bool:
            return False

        def broadcast(self, key: Any, value: Any, out: Any, priority: int = 0) -> None:
            for each in out:
                value.copyto(each)

        def pushpull(self, key: Any, value: Any, out: Any = None, priority: int = 0) -> None:
            for each in out:
                each[:] = each * 2

    param, trainer = on_two_contexts(kvstore="doubling")
    descend(param)
    trainer.step(1)
    assert [d.asnumpy().tolist() for d in param.list_data()] == [[-2, -2], [-4, -4]]


def test_what_cannot_be_trained() -> None:
    layer = nn.Dense(1, in_units=1)
    with pytest.raises(RuntimeError, match="has not been initialized"):
        gluon.Trainer(layer.collect_params(), "sgd")
    layer.initialize()
    with pytest.raises(ValueError, match="Cannot find optimizer foo"):
        gluon.Trainer(layer.collect_params(), "foo")
    with pytest.raises(ValueError, match="list or dict of Parameters"):
        gluon.Trainer(3, "sgd")


def test_data_is_split_evenly_or_nearly() -> None:
    assert [p.shape for p in utils.split_data(nd.ones((5, 2)), 2, even_split=False)] == [(3, 2), (2, 2)]
    with pytest.raises(ValueError, match="cannot be evenly split"):
        utils.split_data(nd.ones((5, 2)), 2)
    parts = utils.split_and_load(np.ones((4, 2)), [mx.cpu(0), mx.cpu(1)])
    assert [p.context for p in parts] == [mx.cpu(0), mx.cpu(1)]


def test_norms_are_clipped_in_place() -> None:
    arrays = [nd.array([3, 4]), nd.array([12])]
    assert utils.clip_global_norm(arrays, 6.5) == 13.0
    np.testing.assert_allclose(arrays[1].asnumpy(), [6.0], rtol=1e-6)
    with pytest.warns(UserWarning, match="nan or inf"):
        utils.clip_global_norm([nd.array([np.nan])], 1)


def test_parameters_are_on_the_same_contexts() -> None:
    first, second = nn.Dense(2, in_units=2), nn.Dense(2, in_units=2)
    first.initialize(ctx=mx.cpu(1))
    second.initialize()
    with pytest.raises(AssertionError, match="must be initialized on the same set of contexts"):
        gluon.Trainer({**first.collect_params(), **second.collect_params()}, "sgd")
