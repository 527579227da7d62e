"""What a Trainer's store does: when it is made, what it updates, when it is forgotten, as recorded from MXNet 1.9.1."""

from __future__ import annotations

from typing import Any

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd
from hybridlint.runtime.gluon import nn


def trained(contexts: int, grad_stype: str = "default", **settings: Any) -> tuple[gluon.Parameter, gluon.Trainer]:
    parameter = gluon.Parameter("p", shape=(2, 1), grad_stype=grad_stype)
    parameter.initialize(ctx=[mx.cpu(k) for k in range(contexts)], init="zeros")
    return parameter, gluon.Trainer([parameter], "sgd", {"learning_rate": 1.0, "momentum": 0.5}, **settings)


def step(parameter: gluon.Parameter, trainer: gluon.Trainer) -> list[float]:
    with mx.autograd.record():
        outputs = [array + 1 for array in parameter.list_data()]
    mx.autograd.backward(outputs)
    trainer.step(1)
    return parameter.data().asnumpy().ravel().tolist()


@pytest.mark.parametrize(
    ("contexts", "grad_stype", "settings", "updates", "kind"),
    [
        (1, "default", {}, None, None),
        (1, "default", {"kvstore": "teststore"}, None, None),
        (2, "default", {}, True, "device"),
        (2, "default", {"kvstore": "local", "update_on_kvstore": False}, False, "local"),
        (2, "default", {"kvstore": "teststore"}, False, "teststore"),
        (2, "default", {"kvstore": None}, None, None),
        (2, "row_sparse", {}, False, "device"),
        (2, "row_sparse", {"update_on_kvstore": True}, True, "device"),
    ],
)
def test_where_parameters_are_updated(
    contexts: int, grad_stype: str, settings: dict[str, Any], updates: bool | None, kind: str | None
) -> None:
    parameter, trainer = trained(contexts, grad_stype, **settings)
    assert step(parameter, trainer) == [-float(contexts)] * 2
    assert trainer._update_on_kvstore is updates
    assert getattr(trainer._kvstore, "type", None) == kind


@pytest.mark.parametrize(
    ("grad_stype", "told"),
    [("default", "Please set update_on_kvstore=False"), ("row_sparse", "multi-device training with sparse gradients")],
)
def test_stores_without_an_optimizer_update_nothing(grad_stype: str, told: str) -> None:
    parameter, trainer = trained(2, grad_stype, kvstore="teststore", update_on_kvstore=True)
    with pytest.raises(ValueError, match=told):
        step(parameter, trainer)


def test_a_weight_that_is_set_starts_the_store_anew() -> None:
    parameter, trainer = trained(2)
    assert [step(parameter, trainer)[0] for _ in range(2)] == [-2.0, -5.0]
    parameter.set_data(nd.zeros((2, 1)))
    assert (trainer._kv_initialized, trainer._kvstore) == (False, None)
    assert [step(parameter, trainer)[0] for _ in range(2)] == [-2.0, -5.0]


@pytest.mark.parametrize(("contexts", "grad_stype"), [(1, "default"), (2, "row_sparse")])
def test_states_outlive_a_weight_that_is_set_where_no_store_updates(contexts: int, grad_stype: str) -> None:
    parameter, trainer = trained(contexts, grad_stype)
    step(parameter, trainer)
    step(parameter, trainer)
    parameter.set_data(nd.zeros((2, 1)))
    assert step(parameter, trainer)[0] == -1.75 * contexts


class Embedded(gluon.Block):
    """Rows of a sparse weight, and a layer whose shape waits for them."""

    def __init__(self) -> None:
        super().__init__()
        with self.name_scope():
            self.rows = self.params.get("rows", shape=(4, 3), stype="row_sparse", grad_stype="row_sparse")
            self.dense = nn.Dense(2)

    def forward(self, x: nd.NDArray) -> nd.NDArray:
        rows = self.rows.row_sparse_data(x)
        return self.dense(nd.Embedding(x, rows, input_dim=4, output_dim=3, sparse_grad=True))


@pytest.mark.parametrize("contexts", [[mx.cpu(1)], [mx.cpu(1), mx.cpu(2)]])
def test_rows_are_pulled_while_other_parameters_wait_for_their_shapes(contexts: list[mx.Context]) -> None:
    net = Embedded()
    net.initialize(mx.init.One(), ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 1})
    parts = gluon.utils.split_and_load(nd.array([[0, 2], [1, 2]]), contexts)
    with mx.autograd.record():
        outputs = [net(part) for part in parts]
    mx.autograd.backward(outputs)
    trainer.step(1)
    assert net.rows.row_sparse_data(nd.arange(4, ctx=mx.cpu(1))).asnumpy()[:, 0].tolist() == [-1, -1, -3, 1]
    assert trainer._params_to_init == []


def test_rows_of_other_weights_outlive_one_that_is_set() -> None:
    first, second = (gluon.Parameter(n, shape=(3, 1), stype="row_sparse", grad_stype="row_sparse") for n in "ab")
    for parameter in (first, second):
        parameter.initialize(init="ones")
    gluon.Trainer([first, second], "sgd")
    first.row_sparse_data(nd.array([0]))
    second.set_data(nd.ones((3, 1)).tostype("row_sparse"))
    assert first.row_sparse_data(nd.arange(3)).asnumpy().ravel().tolist() == [1, 1, 1]
