"""Corners of NDArray and of its files: axes that repeat, what is no number, memory of numpy's, shapes of two kinds."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

from hybridlint.runtime import autograd, nd, util
from hybridlint.runtime.base import MXNetError


@pytest.mark.parametrize(("source", "destination"), [(3, 0), (0, 5), ([0, 0], [0, 1]), ([0, 1], [1, 1]), ([0, 1], [0])])
def test_moveaxis_refuses_axes_that_repeat_or_are_not_there(source: Any, destination: Any) -> None:
    with pytest.raises(ValueError, match=r"repeated axis|out of bounds|same number"):
        nd.moveaxis(nd.zeros((1, 2, 3)), source, destination)


def test_broadcast_like_needs_axes_of_both_or_takes_all() -> None:
    x, y = nd.ones((1, 2)), nd.ones((3, 2))
    with pytest.raises(MXNetError, match="Empty axes"):
        nd.broadcast_like(x, y, lhs_axes=(), rhs_axes=())
    assert nd.broadcast_like(x, y, lhs_axes=(0,)).shape == (3, 2)


def test_the_slope_of_relu_at_what_is_no_number_is_none() -> None:
    x = nd.array([onp.nan, -1.0, 0.0, 2.0])
    x.attach_grad()
    with autograd.record():
        y = nd.relu(x)
    y.backward()
    assert onp.array_equal(x.grad.asnumpy(), [onp.nan, 0, 0, 1], equal_nan=True)


def test_memory_of_a_numpy_array_is_shared_twice_and_written() -> None:
    given = onp.zeros((2, 3), dtype="float32")
    first, second = nd.from_numpy(given), nd.from_numpy(given)
    with pytest.raises(ValueError, match="read-only"):
        given[0, 0] = 1
    second[1, 2] = 5
    assert first.asnumpy()[1, 2] == 5


def test_files_are_read_with_the_shapes_that_they_were_written_with(tmp_path: Path) -> None:
    file = str(tmp_path / "arrays")
    arrays = [nd.ones((2, 3)), nd.array(onp.ones((0, 3)))]
    nd.save(file, arrays)
    assert [x.shape for x in nd.load(file)] == [(2, 3), (0, 3)]
    with util.np_shape(True), pytest.raises(MXNetError, match="was not saved in np shape semantics"):
        nd.load(file)
    with util.np_shape(True):
        nd.save(file, arrays)
        assert [x.shape for x in nd.load(file)] == [(2, 3), (0, 3)]
    with pytest.raises(MXNetError, match="must be loaded in the same semantics"):
        nd.load(file)


def test_numbers_at_one_place_of_a_scipy_matrix_are_added() -> None:
    sparse = pytest.importorskip("scipy.sparse")
    given = sparse.csr_matrix((onp.array([1.0, 2.0, 3.0]), onp.array([0, 0, 1]), onp.array([0, 2, 3])), shape=(2, 2))
    found = nd.sparse.array(given)
    assert found.data.asnumpy().tolist() == [3.0, 3.0]
    assert found.indptr.asnumpy().tolist() == [0, 1, 2]


def test_the_shape_of_a_matrix_without_numbers_is_not_known() -> None:
    nothing = onp.zeros((0,), dtype="int64")
    with pytest.raises(ValueError, match="invalid shape"):
        nd.sparse.csr_matrix((nothing, nothing, onp.zeros((3,), dtype="int64")))


@pytest.mark.parametrize("cast", [lambda x: x.astype("f"), lambda x: x.astype("<f4")])
def test_codes_of_numpy_are_dtypes(cast: Callable[[Any], Any]) -> None:
    assert cast(nd.ones((2,), dtype="int32")).dtype == onp.float32
