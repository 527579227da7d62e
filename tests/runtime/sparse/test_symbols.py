"""Symbols with storage types: what they are bound to, and what executors compute. The storages were asked of MXNet."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hybridlint.runtime import cpu, nd, sym
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import HybridBlock

X, W = sym.var("x", stype="csr"), sym.var("w", stype="row_sparse")
R, C = sym.var("r", stype="row_sparse"), sym.var("c", stype="csr")


@pytest.mark.parametrize(
    ("symbol", "gradients", "output"),
    [
        (sym.sparse.dot(X, W), {"x": "default", "w": "row_sparse"}, "default"),
        (sym.square(R), {"r": "row_sparse"}, "row_sparse"),
        (-R, {"r": "row_sparse"}, "row_sparse"),
        (R + 1, {"r": "default"}, "default"),
        (sym.elemwise_add(R, sym.var("q", stype="row_sparse")), {"r": "row_sparse", "q": "row_sparse"}, "row_sparse"),
        (sym.cast_storage(sym.var("k"), stype="row_sparse"), {"k": "row_sparse"}, "row_sparse"),
        (sym.sparse.sum(C, axis=1), {"c": "default"}, "default"),
    ],
)
def test_storage_is_inferred_for_arguments_gradients_and_outputs(
    symbol: Any, gradients: dict[str, str], output: str
) -> None:
    shapes = {name: (4, 2) if name == "w" else (3, 4) for name in symbol.list_arguments()}
    executor = symbol.simple_bind(cpu(), **shapes)
    declared = {"x": "csr", "c": "csr", "w": "row_sparse", "r": "row_sparse", "q": "row_sparse", "k": "default"}
    assert {name: array.stype for name, array in executor.arg_dict.items()} == {n: declared[n] for n in shapes}
    assert {name: array.stype for name, array in executor.grad_dict.items()} == gradients
    assert executor.outputs[0].stype == output


def test_storage_may_be_given_when_binding() -> None:
    symbol = sym.dot(sym.var("x"), sym.var("w"))
    executor = symbol.simple_bind(cpu(), x=(3, 4), w=(4, 2), stype_dict={"x": "csr"})
    assert (executor.arg_dict["x"].stype, executor.grad_dict["w"].stype) == ("csr", "row_sparse")


def test_executors_take_and_give_sparse_arrays() -> None:
    data = nd.array([[0, 1, 0, 0], [0, 0, 0, 5], [2, 3, 0, 0]]).tostype("csr")
    weight = nd.ones((4, 2)).tostype("row_sparse")
    gradient = nd.sparse.zeros("row_sparse", (4, 2))
    symbol = sym.sparse.dot(X, W)
    executor = symbol.bind(cpu(), {"x": data, "w": weight}, {"w": gradient}, {"w": "write", "x": "null"})
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 2)))
    assert executor.outputs[0].asnumpy().tolist() == [[1, 1], [5, 5], [5, 5]]
    assert gradient.indices.asnumpy().tolist() == [0, 1, 3]
    assert gradient.asnumpy().tolist() == [[2, 2], [4, 4], [0, 0], [5, 5]]
    assert executor.forward(x=data * 2)[0].asnumpy().tolist() == [[2, 2], [10, 10], [10, 10]]
    assert symbol.eval(x=data, w=weight)[0].asnumpy().tolist() == [[2, 2], [10, 10], [10, 10]]


def test_an_embedding_in_a_graph_has_a_sparse_gradient() -> None:
    symbol = sym.Embedding(sym.var("d"), sym.var("w"), input_dim=5, output_dim=2, sparse_grad=True)
    executor = symbol.simple_bind(cpu(), d=(3,), grad_req={"w": "write", "d": "null"})
    executor.arg_dict["d"][:] = nd.array([1, 3, 3])
    executor.forward(is_train=True)
    executor.backward(nd.ones((3, 2)))
    gradient = executor.grad_dict["w"]
    assert gradient.indices.asnumpy().tolist() == [1, 3]
    np.testing.assert_array_equal(gradient.asnumpy(), [[0, 0], [1, 1], [0, 0], [2, 2], [0, 0]])


class Stored(HybridBlock):
    """A block that makes its dense input sparse."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.cast_storage(x, stype="row_sparse") * 2


class Kept(HybridBlock):
    """A block with an operator that MXNet has for sparse storage only."""

    def hybrid_forward(self, F: Any, x: Any) -> Any:
        return F.sparse.retain(x, F.ones((1,)))


def test_compiled_blocks_give_the_storage_of_eager_ones() -> None:
    for block in (Stored(), Kept()):
        for _ in range(2):
            result = block(nd.array([[0, 0], [1, 2]]).tostype("row_sparse"))
            assert result.stype == "row_sparse"
            assert result.asnumpy()[1].tolist() == ([2, 4] if isinstance(block, Stored) else [1, 2])
            block.hybridize()


def test_compiled_blocks_make_sparse_arrays_of_dense_ones_and_refuse_what_eager_ones_refuse() -> None:
    stored, kept = Stored(), Kept()
    stored.hybridize()
    kept.hybridize()
    assert stored(nd.array([[0, 0], [1, 2]])).stype == "row_sparse"
    with pytest.raises(MXNetError, match="not implemented for storage"):
        kept(nd.ones((2, 2)))


def test_no_kernel_casts_between_the_sparse_storages() -> None:
    with pytest.raises(MXNetError, match="not implemented from csr to row_sparse"):
        nd.cast_storage(nd.ones((2, 2)).tostype("csr"), "row_sparse")


@pytest.mark.parametrize("name", ["gamma", "gammaln", "arccosh"])
def test_zeros_of_a_sparse_gradient_meet_slopes_that_are_no_numbers(name: str) -> None:
    graph = getattr(sym, name)(sym.var("x", stype="row_sparse"))
    into = nd.zeros((2, 1))
    executor = graph.bind(cpu(), [nd.array([[0], [2]]).tostype("row_sparse")], args_grad=[into])
    executor.forward(is_train=True)
    executor.backward(nd.array([[0], [1]]).tostype("row_sparse"))
    assert np.isnan(into.asnumpy()[0, 0])
    assert np.isfinite(into.asnumpy()[1, 0])


def test_a_graph_without_kernels_for_its_storage_is_not_bound() -> None:
    graph = sym.BatchNorm(sym.var("x", stype="row_sparse"))
    with pytest.raises(RuntimeError, match="fix_gamma=True is not supported for sparse"):
        graph.simple_bind(cpu(), x=(2, 3))
