"""``mx.np.ndarray`` and its functions: numpy's interface, with MXNet 1.9's own dtypes, errors and gradients."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as onp
import pytest

from hybridlint.runtime import autograd, nd, np, npx
from hybridlint.runtime.base import MXNetError
from tests.closeness import assert_same_numbers


@pytest.fixture(autouse=True)
def numpy_mode() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


def matrix() -> Any:
    return np.array([[1.0, 2, 3], [4, 5, 6]])


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (lambda: np.array(1.5), "array(1.5)"),
        (lambda: np.array([1, 2]), "array([1., 2.])"),
        (lambda: np.zeros((0, 3)), "array([], shape=(0, 3))"),
        (lambda: np.array([1, 2], dtype="int32"), "array([1, 2], dtype=int32)"),
        (lambda: np.array([1.5], dtype="float64"), "array([1.5], dtype=float64)"),
        (lambda: np.ones((2, 2)), "array([[1., 1.],\n       [1., 1.]])"),
    ],
)
def test_repr(value: Callable[[], Any], text: str) -> None:
    assert repr(value()) == text


def test_arrays_have_no_legacy_methods() -> None:
    for name in ("exp", "abs", "asscalar", "tile", "softmax", "broadcast_like"):
        with pytest.raises(AttributeError):
            getattr(matrix(), name)()


def test_scalars_have_no_dimensions() -> None:
    x = matrix()
    assert x[0, 0].shape == x.sum().shape == np.array(2).shape == ()
    assert x.mean().item() == 3.5
    assert float(x[1, 2]) == 6.0
    assert format(x.mean(), ".1f") == "3.5"
    with pytest.raises(TypeError):
        float(x)
    with pytest.raises(TypeError):
        len(x.sum())


@pytest.mark.parametrize(
    ("function", "dtype"),
    [
        (lambda x: x + 1, "int32"),
        (lambda x: x * 2.5, "int32"),
        (lambda x: x / 2, "float32"),
        (lambda x: x / x, "float32"),
        (lambda x: x > 1, "bool"),
        (lambda x: x == 2, "bool"),
        (lambda x: x + x.astype("float64"), "float64"),
        (lambda x: x * x.astype("int64"), "int64"),
        (lambda x: x.mean(), "float32"),
        (lambda x: x.sum(), "int32"),
        (lambda x: (x > 1).sum(), "int64"),
        (lambda x: x.argmax(), "int64"),
        (np.exp, "int32"),
        (lambda x: (x > 1) + 1, "int64"),
    ],
)
def test_dtypes(function: Callable[[Any], Any], dtype: str) -> None:
    assert function(np.array([1, 2, 3], dtype="int32")).dtype == dtype


@pytest.mark.parametrize(
    "function",
    [
        lambda x: np.maximum(x, x.astype("float64")),
        lambda x: np.concatenate([x, x.astype("float64")]),
        lambda x: x.reshape(4, 2),
        lambda x: x + np.ones((4,)),
        lambda x: np.ones((2, 1)).squeeze(0),
        lambda x: x.take(np.array([9.0])),
        lambda x: x & x,
    ],
)
def test_mxnet_errors(function: Callable[[Any], Any]) -> None:
    with pytest.raises(MXNetError):
        function(matrix()).wait_to_read()


@pytest.mark.parametrize(
    "function",
    [
        lambda x: x + None,
        lambda x: x == "a",
        lambda x: x + onp.ones(3),
        lambda x: onp.ones((2, 3)) + x,
        lambda x: x * nd.ones((2, 3)),
        lambda x: nd.ones((2, 3)) * x,
        nd.exp,
        lambda x: np.exp(nd.ones((2,))),
        lambda x: np.exp("a"),
        lambda x: x // 2,
        lambda x: x.sort(),
    ],
)
def test_type_errors(function: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError):
        function(matrix())


def test_numpy_functions_on_arrays() -> None:
    x = matrix()
    functions: list[Callable[[Any], Any]] = [onp.exp, onp.sum, onp.mean, onp.transpose, onp.sort, onp.square]
    for function in functions:
        found = function(x)
        assert type(found) is np.ndarray
        assert_same_numbers(found.asnumpy(), function(x.asnumpy()))
    assert onp.shape(x) == (2, 3)
    assert onp.allclose(x, x)


@pytest.mark.parametrize(
    "key",
    [0, -1, slice(0, 1), (slice(None), 1), (0, 1), None, Ellipsis, (Ellipsis, 0), [1, 0], True, onp.array([1, 1])],
)
def test_subscripts_are_those_of_numpy(key: Any) -> None:
    x = matrix()
    onp.testing.assert_array_equal(x[key].asnumpy(), x.asnumpy()[key])


def test_masks_and_writing() -> None:
    x = matrix()
    assert x[x > 4].asnumpy().tolist() == [5, 6]
    x[x > 4] = 0
    x[0] = np.array([7, 8, 9])
    assert x.asnumpy().tolist() == [[7, 8, 9], [4, 0, 0]]
    y = x
    y += 1
    assert x[1, 1] == 1


def test_gradients_reach_arrays_of_numpy_mode() -> None:
    x = matrix()
    x.attach_grad()
    with autograd.record():
        y = (np.dot(x, x.T) ** 2).sum() + np.concatenate([x, x]).mean() + x[0].sum() + np.linalg.norm(x)
    y.backward()
    assert type(x.grad) is np.ndarray
    raw = x.asnumpy().astype("float64")
    step = 1e-5

    def loss(v: Any) -> Any:
        return ((v @ v.T) ** 2).sum() + onp.concatenate([v, v]).mean() + v[0].sum() + onp.linalg.norm(v)

    change = onp.zeros_like(raw)
    change[1, 2] = step
    numeric = (loss(raw + change) - loss(raw - change)) / (2 * step)
    onp.testing.assert_allclose(x.grad.asnumpy()[1, 2], numeric, rtol=1e-4)


def test_std_has_no_gradient_as_in_mxnet() -> None:
    x = matrix()
    x.attach_grad()
    with autograd.record():
        y = x.std() + x.var()
    y.backward()
    assert not x.grad.asnumpy().any()


def test_npx_reshape_codes() -> None:
    x = np.zeros((2, 3, 4))
    for codes, shape in [
        ((-2, -1), (2, 12)),
        ((-5, -4), (6, 4)),
        ((-4,), (2, 3, 4)),
        ((-6, 1, 2, -4), (1, 2, 3, 4)),
        ((-2, -2, 2, 2), (2, 3, 2, 2)),
    ]:
        assert npx.reshape(x, codes).shape == shape
    assert npx.reshape(np.zeros((1, 3)), (-3, -4)).shape == (3,)
    with pytest.raises(MXNetError):
        npx.reshape(x, (-3, -4))


def test_files_keep_numpy_mode(tmp_path: Path) -> None:
    file = str(tmp_path / "arrays")
    npx.save(file, {"a": np.array(1.5), "b": np.zeros((0, 2))})
    found = npx.load(file)
    assert isinstance(found, dict)
    assert found["a"].shape == ()
    assert type(found["b"]) is np.ndarray
    assert found["b"].shape == (0, 2)
    with pytest.raises(TypeError):
        npx.save(file, nd.ones((2,)))


def test_random_draws() -> None:
    assert np.random.uniform().shape == ()
    assert np.random.normal(size=(2, 3)).shape == (2, 3)
    assert np.random.uniform(0, np.ones((4,))).shape == (4,)
    assert np.random.randint(0, 5, size=3).dtype == "int64"
    assert np.random.choice(5, 3).shape == (3,)
    x = np.arange(10)
    np.random.shuffle(x)
    assert sorted(x.tolist()) == list(range(10))


@pytest.mark.parametrize(("left", "right", "result"), [("int32", "int64", "int64"), ("bool", "uint8", "uint8")])
def test_integers_mix_in_differences_of_two_shapes_only(left: str, right: str, result: str) -> None:
    a, b = np.ones((2, 1), dtype=left), np.ones((3,), dtype=right)
    for function in (np.subtract, np.mod):
        assert function(a, b).dtype == result
        with pytest.raises(MXNetError, match="do not mix"):
            function(a, np.ones((2, 1), dtype=right))


def test_options_of_numpy_that_are_not_there_are_refused() -> None:
    x = np.ones((2,))
    assert np.exp(x, where=True, casting="same_kind").shape == (2,)
    given: list[dict[str, Any]] = [{"where": False}, {"where": x > 0}, {"dtype": "float64"}, {"order": "C"}]
    for options in given:
        with pytest.raises(NotImplementedError, match="not implemented yet for operator exp"):
            np.exp(x, **options)
        with pytest.raises(NotImplementedError, match="not implemented yet for operator add"):
            np.add(x, x, **options)
    with pytest.raises(TypeError, match="axis is an invalid keyword to function 'exp'"):
        np.exp(x, axis=1)
    for stranger in ({"dtype": "abcdefg"}, {"casting": "mxnet"}, {"order": None}):
        with pytest.raises(TypeError, match="not understood for operator exp"):
            np.exp(x, **stranger)
    with pytest.raises(TypeError, match="unexpected keyword"):
        np.equal(x, x, where=True)


def test_results_are_written_to_arrays_of_their_own_dtype() -> None:
    x = np.ones((2,))
    with pytest.raises(MXNetError, match="Provided = float64, inferred type = float32"):
        np.add(x, x, out=np.zeros((2,), dtype="float64"))
    with pytest.raises(TypeError, match="writes booleans"):
        np.isnan(x, out=np.zeros((2,)))
    found = np.zeros((2,), dtype="bool")
    assert np.isnan(x, out=found) is found


def test_reshape_knows_one_order_whatever_is_asked_for() -> None:
    assert np.reshape(np.arange(4), (2, 2), order="F").asnumpy().tolist() == [[0, 1], [2, 3]]


@pytest.mark.parametrize("module", [nd, np])
@pytest.mark.parametrize("copy", [False, True])
def test_an_array_says_which_dtype_another_is_to_have(module: Any, copy: bool) -> None:
    whole = module.array([1], dtype="int32")
    assert module.array([1.5]).astype(whole, copy=copy).dtype == onp.int32
    assert module.zeros((2,), dtype=whole).dtype == onp.int32
    assert whole.astype(whole, copy=copy).dtype == onp.int32


def test_where_with_a_number_gives_the_gradient_of_the_other_side_as_in_mxnet() -> None:
    x = np.array([1.0, 2.0])
    x.attach_grad()
    with autograd.record():
        chosen = np.where(np.array([1.0, 0.0]), x, 0.0)
    chosen.backward()
    assert x.grad.asnumpy().tolist() == [0.0, 1.0]
