"""Parameters in sparse storage: what they hold, what their trainer holds, and how they are reached."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd, sym


def test_a_row_sparse_parameter_gives_rows_to_who_trains_it() -> None:
    param = gluon.Parameter("w", shape=(3, 2), stype="row_sparse", grad_stype="row_sparse")
    param.initialize(init="ones")
    for read in (param.data, param.list_data):
        with pytest.raises(RuntimeError, match="use row_sparse_data"):
            read()
    with pytest.raises(RuntimeError, match="no Trainer"):
        param.row_sparse_data(nd.array([0]))
    trainer = gluon.Trainer([param], "sgd", {"learning_rate": 1})
    with mx.autograd.record():
        rows = param.row_sparse_data(nd.array([0, 2]))
        taken = nd.Embedding(nd.array([0, 2]), rows, input_dim=3, output_dim=2, sparse_grad=True)
    taken.backward()
    trainer.step(1)
    assert (rows.stype, rows.indices.asnumpy().tolist()) == ("row_sparse", [0, 2])
    assert param.grad().indices.asnumpy().tolist() == [0, 2]
    assert param.list_row_sparse_data(nd.arange(3))[0].asnumpy().tolist() == [[0, 0], [1, 1], [0, 0]]


def test_a_dense_parameter_gives_no_rows() -> None:
    param = gluon.Parameter("w", shape=(3, 2))
    param.initialize()
    for read in (param.row_sparse_data, param.list_row_sparse_data):
        with pytest.raises(RuntimeError, match="use data"):
            read(nd.array([0]))


def test_compiled_blocks_refuse_row_sparse_parameters() -> None:
    shared = gluon.ParameterDict("net_")
    shared.get("weight", shape=(2, 2), stype="row_sparse")
    shared.get("bias", shape=(2,))
    layer = gluon.nn.Dense(2, params=shared)
    layer.initialize()
    for _ in range(2):
        with pytest.raises(RuntimeError, match="storage type is row_sparse"):
            layer(nd.ones((1, 2)))
        layer.hybridize()
    weight = sym.var("weight", stype="row_sparse")
    with pytest.raises(AssertionError, match="storage type"):
        gluon.SymbolBlock(sym.dot(sym.var("data"), weight), sym.var("data"))


def test_a_row_sparse_parameter_has_one_trainer_whose_store_updates_it() -> None:
    param = gluon.Parameter("w", shape=(3, 2), stype="row_sparse", grad_stype="row_sparse")
    param.initialize(init="ones")
    trainer = gluon.Trainer([param], "sgd", update_on_kvstore=False)
    with pytest.raises(ValueError, match="sparse weights"):
        trainer.step(1)
    with pytest.raises(RuntimeError, match="More than one trainers"):
        gluon.Trainer([param], "sgd")


def test_a_row_sparse_parameter_is_set_saved_and_loaded_with_all_rows(tmp_path: Path) -> None:
    param = gluon.Parameter("w", shape=(3, 2), stype="row_sparse", grad_stype="row_sparse")
    param.initialize(init="ones")
    params = gluon.ParameterDict()
    params._params["w"] = param
    gluon.Trainer([param], "sgd")
    param.row_sparse_data(nd.array([1]))
    param.set_data(nd.ones((3, 2)) * 7)
    assert param.row_sparse_data(nd.array([1])).asnumpy().tolist() == [[0, 0], [7, 7], [0, 0]]
    params.save(str(tmp_path / "w.params"))
    stored = nd.load(str(tmp_path / "w.params"))
    assert isinstance(stored, dict)
    assert stored["w"].stype == "row_sparse"
    assert stored["w"].asnumpy().tolist() == [[7, 7]] * 3
    param.set_data(nd.zeros((3, 2)))
    params.load(str(tmp_path / "w.params"))
    assert param.list_row_sparse_data(nd.arange(3))[0].asnumpy().tolist() == [[7, 7]] * 3


@pytest.mark.parametrize("hybrid", [False, True])
def test_an_embedding_with_sparse_gradients_trains_the_rows_it_took(hybrid: bool) -> None:
    net = gluon.nn.Embedding(5, 2, sparse_grad=True)
    net.initialize(init="ones")
    if hybrid:
        net.hybridize()
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1, "momentum": 0.9, "wd": 0.1})
    for expected in ([1, 0.89, 1, 0.79, 1], [1, 0.6821, 1, 0.3931, 1]):
        with mx.autograd.record():
            loss = net(nd.array([1, 3, 3])).sum()
        loss.backward()
        gradient = net.weight.grad()
        assert (gradient.stype, gradient.indices.asnumpy().tolist()) == ("row_sparse", [1, 3])
        trainer.step(1)
        np.testing.assert_allclose(net.weight.data().asnumpy()[:, 0], expected, rtol=1e-5)
    net.weight.zero_grad()
    assert net.weight.grad().indices.shape == (0,)


def test_a_sparse_embedding_asks_its_trainer_for_rows() -> None:
    layer = gluon.contrib.nn.SparseEmbedding(4, 2)
    layer.initialize(init="ones")
    trainer = gluon.Trainer(layer.collect_params(), "adagrad", {"learning_rate": 1})
    with mx.autograd.record():
        result = layer(nd.array([1, 2]))
    result.backward()
    trainer.step(1)
    assert layer.weight.list_row_sparse_data(nd.arange(4))[0].asnumpy().round(3).tolist() == [
        [1, 1],
        [0, 0],
        [0, 0],
        [1, 1],
    ]


def test_sparse_batches_are_split_and_sparse_gradients_summed_over_contexts() -> None:
    contexts = [mx.cpu(0), mx.cpu(1)]
    parts = gluon.utils.split_and_load(nd.array([[0, 1], [0, 0], [2, 3]]).tostype("csr"), contexts, even_split=False)
    assert [part.stype for part in parts] == ["csr", "csr"]
    assert [part.asnumpy().tolist() for part in parts] == [[[0, 1], [0, 0]], [[2, 3]]]
    net = gluon.nn.Embedding(4, 2, sparse_grad=True)
    net.initialize(init="ones", ctx=contexts)
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": 0.1})
    with mx.autograd.record():
        losses = [net(nd.array([k, 1], ctx=ctx)).sum() for k, ctx in enumerate(contexts)]
    mx.autograd.backward(losses)
    trainer.step(1)
    for ctx in contexts:
        np.testing.assert_allclose(net.weight.data(ctx).asnumpy()[:, 0], [0.9, 0.7, 1, 1], rtol=1e-6)
