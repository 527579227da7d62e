"""Kernels on stored elements compute what the same operator computes on dense arrays, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hybridlint.runtime as mx
from hybridlint.runtime import nd
from hybridlint.runtime.facts import registry
from hybridlint.runtime.ops.storage import products

GENERATOR = np.random.default_rng(5)


def drawn(shape: tuple[int, ...], density: float) -> Any:
    return nd.array(GENERATOR.normal(size=shape) * (GENERATOR.random(shape) < density), dtype="float64")


@pytest.mark.parametrize("density", [0.0, 0.05, 0.4, 1.0])
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("width", [1, 6])
@pytest.mark.parametrize("rows_a_step", [0, 1, 100])
def test_products(density: float, turned: bool, width: int, rows_a_step: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # All rows in steps, some of them, or none; so few rows at once that there are many pieces.
    monkeypatch.setattr(products, "_ROWS_A_STEP", rows_a_step)
    monkeypatch.setattr(products, "rows_at_once", lambda rows, width: min(rows, 4))
    matrix = drawn((30, 17), density)
    other = drawn((30 if turned else 17, width), 1)
    expected = nd.dot(matrix, other, transpose_a=turned).asnumpy()
    for right in (other, other.tostype("row_sparse")):
        found = nd.dot(matrix.tostype("csr"), right, transpose_a=turned)
        np.testing.assert_allclose(found.asnumpy(), expected, rtol=1e-12, atol=1e-12)
    left = drawn((6, 30), 1)
    np.testing.assert_allclose(
        nd.dot(left, matrix.tostype("csr")).asnumpy(), nd.dot(left, matrix).asnumpy(), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
@pytest.mark.parametrize("name", ["elemwise_add", "elemwise_sub", "elemwise_mul", "_maximum", "_minimum", "_hypot"])
@pytest.mark.parametrize("density", [0.0, 0.3, 1.0])
def test_pairs(name: str, stype: str, density: float) -> None:
    left, right = drawn((9, 7), density), drawn((9, 7), 0.3)
    function = getattr(nd._internal if name.startswith("_") else nd, name)
    found = function(left.tostype(stype), right.tostype(stype))
    assert found.stype == stype
    found.check_format()
    np.testing.assert_allclose(found.asnumpy(), function(left, right).asnumpy(), rtol=1e-12)


@pytest.mark.parametrize("stype", ["csr", "row_sparse"])
def test_every_operator_of_single_elements_keeps_what_it_says(stype: str) -> None:
    data = nd.abs(drawn((6, 5), 0.3)) * 0.2
    for operator in registry.operators():
        if operator.storage is None or operator.params or len(operator.inputs) != 1 or operator.variadic:
            continue
        function = getattr(nd._internal if operator.name.startswith("_") else nd, operator.name)
        if not operator.storage.only:
            dense, stored = function(data).asnumpy(), function(data.tostype(stype)).asnumpy()
            np.testing.assert_allclose(stored, dense, rtol=1e-12, err_msg=operator.name)


def test_gradients_meet_from_sparse_and_dense_uses() -> None:
    table, data = drawn((6, 3), 1), nd.array([1, 4, 1])
    table.attach_grad()
    with mx.autograd.record():
        rows = nd.Embedding(data, table, input_dim=6, output_dim=3, sparse_grad=True)
        loss = (rows * rows).sum() + (table * 2).sum()
    loss.backward()
    expected = np.full((6, 3), 2.0)
    for k in (1, 4, 1):
        expected[k] += 2 * table.asnumpy()[k]
    np.testing.assert_allclose(table.grad.asnumpy(), expected, rtol=1e-12)
