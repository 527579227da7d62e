"""Errors of values appear where MXNet raises them: where a result is waited for or read, however far it went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hybridlint.runtime import autograd, gluon, nd
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import cpu


def _failed() -> Any:
    return nd.random.normal(0, -1, shape=(2, 2))


@pytest.mark.parametrize(
    "read",
    [
        lambda x: x.asnumpy(),
        lambda x: x.wait_to_read(),
        lambda x: x.sum().asscalar(),
        lambda x: bool((x > 0).sum()),
        repr,
        lambda x: nd.waitall(),
        lambda x: x.tolist() if hasattr(x, "tolist") else list(x.asnumpy()),
    ],
)
def test_a_failed_result_raises_where_it_is_read(read: Callable[[Any], Any]) -> None:
    found = _failed()
    with pytest.raises(MXNetError, match="scale must be positive"):
        read(found)


def test_what_is_computed_of_it_fails_the_same_way() -> None:
    layer = gluon.nn.Dense(3, in_units=2)
    layer.initialize()
    found = layer(nd.dot(_failed().copyto(cpu(0)), nd.ones((2, 2))) + 1)
    assert found.shape == (2, 3)
    with pytest.raises(MXNetError, match="scale must be positive"):
        found.asnumpy()


def test_its_parts_raise_only_where_they_are_read() -> None:
    first, second = _failed()
    parts = [first, second[0], second.reshape((2, 1)), _failed()[:, None]]
    assert [part.shape for part in parts] == [(2,), (1,), (2, 1), (2, 1, 2)]
    with pytest.raises(MXNetError, match="scale must be positive"):
        first.asnumpy()


def test_whoever_asks_what_it_has_reads_nothing() -> None:
    assert not hasattr(_failed()._data, "_other")


def test_an_array_that_is_written_anew_is_whole_again() -> None:
    out = nd.zeros((2,))
    nd.random.normal(0, -1, shape=(2,), out=out)
    with pytest.raises(MXNetError):
        out.asnumpy()
    out[:] = 1
    assert out.asnumpy().tolist() == [1, 1]


def test_errors_are_told_once_by_waitall() -> None:
    kept = _failed()
    with pytest.raises(MXNetError):
        nd.waitall()
    nd.waitall()
    with pytest.raises(MXNetError):
        kept.asnumpy()


def test_an_error_that_was_raised_is_not_raised_again_by_waitall() -> None:
    first, second = _failed(), _failed()
    assert first.shape == second.shape
    with pytest.raises(MXNetError):
        (first + 1).asnumpy()
    nd.waitall()


@pytest.mark.parametrize(
    "compute",
    [
        lambda: nd.take(nd.ones((2, 2)), nd.array([5]), mode="raise"),
        lambda: nd.linalg.potrf(nd.array([[1.0, 2], [2, 1]])),
        lambda: nd.random.gamma(-1, 1, shape=(2,)),
    ],
)
def test_other_values_that_cannot_be(compute: Callable[[], Any]) -> None:
    found = compute()
    with pytest.raises(MXNetError):
        found.wait_to_read()


@pytest.mark.parametrize(("indices", "wrong"), [([[0, 1], [0, 3]], 3), ([[0, 1], [-4, 0]], -4)])
def test_an_index_out_of_bounds_is_told_by_an_index_error(indices: list[list[int]], wrong: int) -> None:
    found = nd.gather_nd(nd.ones((2, 3)), nd.array(indices))
    with pytest.raises(IndexError, match=f"index {wrong} is out of bounds for axis 1 with size 3"):
        found.asnumpy()


def test_wrong_shapes_are_refused_at_once() -> None:
    with pytest.raises(MXNetError):
        nd.dot(nd.ones((2, 3)), nd.ones((2, 3)))


def test_backward_through_it_raises() -> None:
    x = nd.ones((2, 2))
    x.attach_grad()
    with autograd.record():
        y = x * _failed()
    with pytest.raises(MXNetError):
        y.backward()
