"""Parameters in sparse storage: dense here, and reached as MXNet's are."""

from __future__ import annotations

import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import gluon, nd, sym


def test_a_row_sparse_parameter_gives_rows_to_who_trains_it() -> None:
    param = gluon.Parameter("w", shape=(3, 2), stype="row_sparse")
    param.initialize(init="ones")
    for read in (param.data, param.list_data):
        with pytest.raises(RuntimeError, match="use row_sparse_data"):
            read()
    with pytest.raises(RuntimeError, match="no Trainer"):
        param.row_sparse_data(nd.array([0]))
    trainer = gluon.Trainer([param], "sgd", {"learning_rate": 1})
    with mx.autograd.record():
        rows = param.row_sparse_data(nd.array([0, 2]))
    rows.backward()
    trainer.step(1)
    assert rows.asnumpy().tolist() == [[1, 1], [0, 0], [1, 1]]
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
