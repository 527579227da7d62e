"""Corners of numpy mode: empty results, numbers as arrays, gradients of booleans and integers, refused values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as onp
import pytest

from hybridlint.runtime import autograd, gluon, nd, np, npx, util
from hybridlint.runtime.base import MXNetError


class _Of(gluon.HybridBlock):
    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__()
        self._function = function

    def hybrid_forward(self, F: Any, *inputs: Any) -> Any:
        return self._function(F, *inputs)


def _block(function: Callable[..., Any], hybrid: bool) -> Any:
    block = _Of(function)
    block.hybridize(hybrid)
    return block


def _gradient(function: Callable[..., Any], x: Any, hybrid: bool) -> Any:
    x.attach_grad()
    with autograd.record():
        y = _block(function, hybrid)(x)
    y.backward()
    return x.grad.asnumpy()


@pytest.fixture(autouse=True)
def _numpy_shapes() -> Iterator[None]:
    with util.np_shape(True):
        yield


modes = pytest.mark.parametrize("hybrid", [False, True])


@modes
def test_results_may_be_empty(hybrid: bool) -> None:
    x = np.ones((2, 3))
    cases: list[tuple[Callable[..., Any], tuple[int, ...]]] = [
        (lambda F, x: F.np.arange(1, -10, 4) + F.np.sum(x), (0,)),
        (lambda F, x: F.np.tile(x, (2, 0)), (4, 0)),
        (lambda F, x: x.repeat(0, 1), (0,)),
        (lambda F, x: F.npx.softmax(F.np.tile(x, (1, 0)), axis=-1), (2, 0)),
        (lambda F, x: F.npx.log_softmax(F.np.tile(x, (1, 0)), axis=0), (2, 0)),
    ]
    for function, shape in cases:
        assert _block(function, hybrid)(x).shape == shape


@modes
def test_a_number_has_an_axis_of_its_own(hybrid: bool) -> None:
    x = np.array(3.0)
    for axis in (0, -1):
        for name in ("squeeze", "argmin", "argmax", "sum", "mean", "prod"):
            found = _block(lambda F, x, name=name, axis=axis: getattr(F.np, name)(x, axis), hybrid)(x)
            assert found.shape == ()
    with pytest.raises(MXNetError):
        np.squeeze(x, 1)


@modes
@pytest.mark.parametrize(
    "function",
    [
        lambda F, x: F.np.expand_dims(x, 0),
        lambda F, x: F.np.concatenate([x]),
        lambda F, x: F.np.reshape(x, (3, 1)),
    ],
)
def test_booleans_that_are_moved_have_gradients(function: Callable[..., Any], hybrid: bool) -> None:
    x = np.array([True, False, False], dtype="bool")
    assert _gradient(function, x, hybrid).tolist() == [True, True, True]


@modes
def test_integer_results_of_floats_keep_their_gradients(hybrid: bool) -> None:
    x = np.array([3.3, 0.5, 0.9, 1.0])
    assert np.sum(x, dtype="int32").item() == 5
    assert np.prod(x, dtype="int32").item() == 1
    assert np.mean(x * 3, dtype="int8").item() == 4
    assert _gradient(lambda F, x: F.np.mean(x, dtype="int8"), x, hybrid).tolist() == [0.25] * 4
    assert _gradient(lambda F, x: F.np.sum(x, dtype="int32"), x, hybrid).tolist() == [1.0] * 4


def test_halves_are_summed_in_single_precision() -> None:
    x = np.array(onp.tile([2048.0, 1.0], 100), dtype="float16")
    assert np.sum(x.reshape((100, 2)), axis=0)[1].item() == 100
    assert np.mean(x.reshape((2, 100)).T, axis=0).dtype == onp.float16
    rows = np.array(onp.full((4096, 2), 1.0), dtype="float16")
    assert np.sum(rows, axis=0).asnumpy().tolist() == [4096.0, 4096.0]


@modes
def test_integers_have_no_gradient_of_a_remainder_or_a_polynomial(hybrid: bool) -> None:
    x = np.array([7, 5], dtype="int32")
    assert _gradient(lambda F, x: F.np.mod(x, x), x, hybrid).tolist() == [0, 0]
    assert _gradient(lambda F, x: F.np.polyval(x, x), x, hybrid).tolist() == [0, 0]


@modes
def test_einsum_along_a_diagonal_has_a_gradient(hybrid: bool) -> None:
    x = np.array(onp.arange(9.0).reshape(3, 3))
    assert _gradient(lambda F, x: F.np.einsum("ii->i", x), x, hybrid).tolist() == onp.eye(3).tolist()
    assert _gradient(lambda F, x: F.np.einsum("ii,jk", x, x), x, hybrid).tolist() == (36 * onp.eye(3) + 12).tolist()


@modes
def test_a_vector_splits_and_triangles_pass_gradients(hybrid: bool) -> None:
    x = np.arange(3.0)
    assert [part.shape for part in _block(lambda F, x: F.np.hsplit(x, (1, 1)), hybrid)(x)] == [(1,), (0,), (2,)]
    assert _gradient(lambda F, x: F.np.tril(x, 1), x, hybrid).tolist() == [3.0, 3.0, 2.0]
    with pytest.raises(ValueError, match="hsplit only works"):
        np.hsplit(np.array(1.0), 1)


@modes
def test_differences_with_ends_pass_gradients(hybrid: bool) -> None:
    x, end = np.array([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), np.ones((2,))
    x.attach_grad()
    end.attach_grad()
    with autograd.record():
        y = _block(lambda F, x, end: F.np.ediff1d(x, end, 9.0), hybrid)(x, end)
    y.backward()
    assert y.asnumpy().tolist() == [9.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0]
    assert x.grad.asnumpy().tolist() == [[-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert end.grad.asnumpy().tolist() == [1.0, 1.0]


@modes
def test_resize_and_unravel_index_can_be_traced(hybrid: bool) -> None:
    x = np.arange(3.0)
    assert _block(lambda F, x: F.np.resize(x, (2, 2)), hybrid)(x).asnumpy().tolist() == [[0.0, 1.0], [2.0, 0.0]]
    places = np.array([5, 7], dtype="int32")
    found = _block(lambda F, x: F.np.unravel_index(x, (3, 4)), hybrid)(places)
    assert [list(part.asnumpy()) for part in found] == [[1, 1], [1, 3]]
    x.attach_grad()
    with autograd.record():
        y = np.resize(x, (2, 2))
    with pytest.raises(MXNetError, match="does not support gradient"):
        y.backward()


def test_rows_are_inserted_at_positions_of_an_array_and_positions_outside_delete_nothing() -> None:
    x = np.arange(5)
    assert np.insert(x, np.array([1, 3], dtype="int64"), 9.0).asnumpy().tolist() == [0, 9, 1, 2, 9, 3, 4]
    for places, left in (([0, 0, 5], [1, 2, 3, 4]), ([-7, 1], [0, 2, 3, 4]), ([-1, -1], [0, 1, 2, 3, 4])):
        assert np.delete(x, np.array(places, dtype="int64")).asnumpy().tolist() == left
    with pytest.raises(MXNetError, match="out of bounds"):
        np.delete(x, 5)


@modes
@pytest.mark.parametrize(
    ("draw", "what"),
    [
        (lambda F: F.np.random.normal(0, -1), "scale < 0"),
        (lambda F: F.np.random.gumbel(0, -1), "scale < 0"),
        (lambda F: F.np.random.gamma(0, 1), "shape > 0"),
        (lambda F: F.np.random.rayleigh(-1), "scale >= 0"),
        (lambda F: F.np.random.pareto(0), "a > 0"),
        (lambda F: F.npx.random.bernoulli(prob=1.5), "probs >= 0"),
    ],
)
def test_parameters_of_draws_are_refused_as_values(draw: Callable[[Any], Any], what: str, hybrid: bool) -> None:
    block = _block(lambda F, x: x + draw(F), hybrid)
    with pytest.raises(ValueError, match=what):
        block(np.zeros((2,))).asnumpy()


@modes
def test_a_violated_constraint_is_a_value_error(hybrid: bool) -> None:
    block = _block(lambda F, x: F.npx.constraint_check(x, "violated"), hybrid)
    with pytest.raises(ValueError, match="violated"):
        block(np.zeros((2,), dtype="bool")).asnumpy()
    assert npx.constraint_check(np.ones((2,), dtype="bool")).item() is True


def test_draws_pass_gradients_to_their_parameters() -> None:
    slopes: dict[str, Callable[[Any, Any], Any]] = {
        "exponential": lambda y, a: y / a,
        "rayleigh": lambda y, a: y / a,
        "pareto": lambda y, a: -(y + 1) * onp.log(y + 1) / a,
        "weibull": lambda y, a: -y * onp.log(y) / a,
    }
    for name, slope in slopes.items():
        a = np.array([2.0, 3.0])
        a.attach_grad()
        with autograd.record():
            y = getattr(np.random, name)(a)
        y.backward()
        onp.testing.assert_allclose(a.grad.asnumpy(), slope(y.asnumpy(), a.asnumpy()), rtol=1e-4)


def test_vectors_are_drawn_in_the_dtype_of_their_means() -> None:
    for dtype in ("float16", "float32", "float64"):
        mean, cov = np.zeros((2,), dtype=dtype), np.array([[1.0, 0.0], [0.0, 2.0]], dtype=dtype)
        assert np.random.multivariate_normal(mean, cov).dtype == onp.dtype(dtype)


def test_axes_that_repeat_are_a_value_error() -> None:
    x = np.ones((3, 4, 5))
    with pytest.raises(ValueError, match="Repeated axis"):
        x.transpose((0, 0, 1))
    with pytest.raises(MXNetError):
        x.transpose((0, 1, 3))


def test_no_gradient_is_kept_for_null() -> None:
    for array in (np.ones((2,)), nd.ones((2,))):
        array.attach_grad()
        array.attach_grad("null")
        assert array.grad is None


def test_without_a_dtype_elements_become_float32() -> None:
    assert np.ones((2,), dtype="int32").astype(None).dtype == onp.float32
    assert nd.ones((2,), dtype="float64").astype(None).dtype == onp.float32


def test_numbers_are_clipped_as_numbers() -> None:
    assert np.clip(0.3, None, 0.1) == 0.1


def test_a_subscript_is_a_view_where_its_elements_lie_in_a_row() -> None:
    for module in (np, nd):
        for key, seen in (
            ((0,), True),
            ((slice(0, 1),), True),
            ((0, slice(1, 3)), True),
            ((slice(None), 1), False),
            ((0, slice(None), 1), False),
            ((slice(0, 2), slice(0, 1)), False),
        ):
            x = module.zeros((2, 3, 4))
            part = x[key]
            part[:] = 1
            assert (float(x.sum().asnumpy()) > 0) is seen, key
    x = np.arange(24).reshape(2, 3, 4)
    assert np.shares_memory(x, x[1, 2, 3])
    assert not np.shares_memory(x[:, 0], x)


def test_pseudo_inverses_have_a_bound_for_each_matrix() -> None:
    x = np.array([[[1.0, 0.0], [0.0, 0.1]], [[1.0, 0.0], [0.0, 0.1]]])
    found = np.linalg.pinv(x, np.array([0.5, 0.01])).asnumpy()
    onp.testing.assert_allclose(found, [[[1, 0], [0, 0]], [[1, 0], [0, 10]]], atol=1e-5)


@modes
def test_nuclear_norms_are_those_of_matrices(hybrid: bool) -> None:
    x = np.array([[1.0, 2.0], [3.0, 4.0]])
    found = _block(lambda F, x: F.np.linalg.norm(x, ord="nuc"), hybrid)(x)
    onp.testing.assert_allclose(found.asnumpy(), 5.8309519, rtol=1e-5)


def test_recorded_assignments_of_whole_arrays_take_any_dtype_and_any_whole_key() -> None:
    for key in (None, slice(None), ..., ()):
        x, y = np.zeros((2, 3), dtype="int32"), np.ones((2, 3), dtype="float64")
        y.attach_grad()
        with autograd.record():
            x[key] = y
        x.backward()
        assert x.asnumpy().tolist() == [[1, 1, 1], [1, 1, 1]]
        assert y.grad.asnumpy().tolist() == [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]


def test_only_numbers_take_a_format() -> None:
    assert f"{np.array(onp.pi):0.3g}" == "3.14"
    with pytest.raises(TypeError, match="Cannot format"):
        format(np.ones((1,)), "30")


def test_chances_are_summed_in_their_own_precision() -> None:
    chances = [0.4, 0.3, 0.2, 0.1, 0.0]
    assert np.random.multinomial(100, np.array(chances), size=(2,)).shape == (2, 5)
    for wrong in ([0.9, 0.9], np.array([0.9, 0.9])):
        with pytest.raises(MXNetError, match="sum"):
            np.random.multinomial(10, wrong).asnumpy()
