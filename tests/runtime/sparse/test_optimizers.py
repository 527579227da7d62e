"""Steps by gradients that store some rows, and the store that has the rows."""

from __future__ import annotations

import json

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd
from hybridlint.runtime.base import MXNetError
from tests.runtime.sparse.optimizers import ANSWERS, CASES, stepped

ASKED = json.loads(ANSWERS.read_text(encoding="utf-8"))


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize("case", CASES, ids=json.dumps)
def test_steps_are_those_of_mxnet(case: dict[str, object], stype: str) -> None:
    asked, found = ASKED[f"{json.dumps(case)} {stype}"], stepped(mx, case, stype)
    if isinstance(asked, str):
        assert found == asked
        return
    for mine, expected in zip(found, asked, strict=True):
        np.testing.assert_allclose(mine, expected, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize(
    ("name", "states", "params"),
    [
        ("sgd_update", 0, {}),
        ("sgd_mom_update", 1, {"momentum": 0.9}),
        ("adam_update", 2, {}),
        ("ftrl_update", 2, {}),
        ("adagrad_update", 1, {}),
    ],
)
def test_update_operators_change_the_rows_that_the_gradient_has(
    name: str, states: int, params: dict[str, float]
) -> None:
    weight = nd.array([[1, 2], [3, 4], [5, 6]]).tostype("row_sparse")
    gradient = nd.sparse.row_sparse_array(([[0.5, -1], [0, 0.25]], [0, 2]), shape=(3, 2))
    update = getattr(nd.sparse, name)
    kept = [nd.sparse.row_sparse_array((np.full((3, 2), 0.5), [0, 1, 2]), dtype="float32") for _ in range(states)]
    update(weight, gradient, *kept, lr=0.1, out=weight, **params)
    parts = [nd.array([[1, 2], [5, 6]]), nd.array([[0.5, -1], [0, 0.25]]), *(nd.full((2, 2), 0.5) for _ in kept)]
    if name == "adagrad_update":
        # MXNet has it for sparse storage only.
        parts = [part.tostype("row_sparse") for part in parts]
        parts[1] = nd.sparse.row_sparse_array((nd.array([[0.5, -1], [0, 0.25]]), [0, 1]), shape=(2, 2))
    update(*parts, lr=0.1, out=parts[0], **params)
    for whole, part, idle in zip((weight, *kept), (parts[0], *parts[2:]), ([3, 4], *[[0.5, 0.5]] * 2), strict=False):
        np.testing.assert_allclose(whole.asnumpy()[[0, 2]], part.asnumpy(), rtol=1e-6)
        assert whole.asnumpy()[1].tolist() == idle


def test_states_of_sparse_weights_are_saved_and_loaded() -> None:
    weight = nd.array([[1, 2], [3, 4], [5, 6]]).tostype("row_sparse")
    gradient = nd.sparse.row_sparse_array(([[0.5, -1]], [1]), shape=(3, 2))
    updater = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9, learning_rate=0.1))
    updater(0, gradient, weight)
    again = mx.optimizer.get_updater(mx.optimizer.SGD(momentum=0.9, learning_rate=0.1))
    again.set_states(updater.get_states())
    assert again.states[0].stype == "row_sparse"
    np.testing.assert_array_equal(again.states[0].asnumpy(), updater.states[0].asnumpy())


def test_a_store_gives_the_rows_that_are_asked_for() -> None:
    store = mx.kv.create("local")
    whole = nd.array([[1, 2], [3, 4], [5, 6]])
    store.init("a", whole.tostype("row_sparse"))
    store.init("d", whole)
    out = nd.sparse.zeros("row_sparse", (3, 2))
    store.row_sparse_pull("a", out=out, row_ids=nd.array([2, 0, 2]))
    assert out.indices.asnumpy().tolist() == [0, 2]
    assert out.asnumpy().tolist() == [[1, 2], [0, 0], [5, 6]]
    several = [nd.sparse.zeros("row_sparse", (3, 2)) for _ in range(2)]
    store.row_sparse_pull("a", out=several, row_ids=[nd.array([0]), nd.array([1, 1])])
    assert [x.indices.asnumpy().tolist() for x in several] == [[0], [1]]
    store.pull("a", out=several[0])
    assert several[0].indices.asnumpy().tolist() == [0], "left alone"
    store.pull("a", out=several[0], ignore_sparse=False)
    assert several[0].asnumpy().tolist() == whole.asnumpy().tolist()
    store.push("a", [whole.tostype("row_sparse"), nd.sparse.row_sparse_array(([[1, 1]], [1]), shape=(3, 2))])
    store.pull("a", out=several[0], ignore_sparse=False)
    assert several[0].asnumpy().tolist() == [[1, 2], [4, 5], [5, 6]]
    for key, target in (("a", nd.zeros((3, 2))), ("d", out)):
        with pytest.raises(MXNetError):
            store.row_sparse_pull(key, out=target, row_ids=nd.array([0]))
    with pytest.raises(MXNetError):
        store.push("a", whole)
    with pytest.raises(AssertionError):
        store.row_sparse_pull("a", out=out)


@pytest.mark.parametrize("stype", ["default", "row_sparse"])
@pytest.mark.parametrize("case", ["SGD", "SGD(momentum=0.9)", "Adam", "NAG"])
def test_a_gradient_without_rows_changes_nothing(case: str, stype: str) -> None:
    made = eval(case if case.endswith(")") else f"{case}()", vars(mx.optimizer))
    made.wd = 0.1
    weight = nd.ones((3, 2)).tostype(stype)
    made.update(0, weight, nd.sparse.zeros("row_sparse", (3, 2)), made.create_state(0, weight))
    assert (weight.asnumpy() == 1).all()


def test_plain_gradient_descent_of_nag_changes_the_rows_that_the_gradient_has() -> None:
    made, weight = mx.optimizer.NAG(wd=0.1), nd.ones((3, 2))
    made.update(0, weight, nd.array([[0, 0], [1, 2], [0, 0]]).tostype("row_sparse"), None)
    assert np.allclose(weight.asnumpy(), [[1.0, 1.0], [0.989, 0.979], [1.0, 1.0]])
