"""Gradients of ``np.linalg`` agree with finite differences, and are zero where MXNet's are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as onp
import pytest

from hybridlint.runtime import autograd, np, npx
from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.gluon import HybridBlock


@pytest.fixture(autouse=True)
def numpy_mode() -> Iterator[None]:
    npx.set_np()
    yield
    npx.reset_np()


def _matrix(*shape: int) -> Any:
    return onp.random.RandomState(0).uniform(0.5, 1.5, shape) + (onp.eye(*shape) if len(shape) == 2 else 0)


def _total(found: Any) -> Any:
    """Return a sum that changes with each element, and not with the signs of singular vectors."""
    parts = found if isinstance(found, (tuple, list)) else [found]
    return sum((abs(part) * np.arange(1, part.size + 1).reshape(part.shape)).sum() for part in parts)


def _gradient(function: Callable[[Any], Any], values: Any) -> tuple[Any, Any]:
    """Return the gradient of a function's total, and its finite differences."""
    x = np.array(values, dtype="float64")
    x.attach_grad()
    with autograd.record():
        total = _total(function(x))
    total.backward()
    slopes = onp.zeros_like(values)
    for place in onp.ndindex(values.shape):
        step = onp.zeros_like(values)
        step[place] = 1e-6
        ahead, behind = (_total(function(np.array(values + s, dtype="float64"))).item() for s in (step, -step))
        slopes[place] = (ahead - behind) / 2e-6
    assert x.grad is not None
    return x.grad.asnumpy(), slopes


@pytest.mark.parametrize(
    ("function", "values"),
    [
        (np.linalg.svd, _matrix(3, 3)),
        (np.linalg.svd, _matrix(2, 4)),
        (lambda x: np.linalg.norm(x, ord=1, axis=(0, 1)), _matrix(3, 3)),
        (lambda x: np.linalg.norm(x, ord=2, axis=(0, 1)), _matrix(3, 2)),
        (lambda x: np.linalg.norm(x, ord=-2, axis=(1, 2)), _matrix(2, 3, 3)),
        (lambda x: np.linalg.norm(x, ord="nuc", axis=(0, 1)), _matrix(2, 3)),
        (lambda x: np.linalg.norm(x, ord=3, axis=1), _matrix(2, 3)),
        (lambda x: np.linalg.tensorinv(x, ind=2), _matrix(2, 3, 6)),
        (lambda x: np.linalg.tensorsolve(x, np.ones((2, 3), dtype="float64")), _matrix(2, 3, 6)),
        (lambda x: np.linalg.tensorsolve(x, np.ones((2, 2), dtype="float64"), axes=(1,)), _matrix(2, 4, 2)),
    ],
)
def test_gradients_are_those_of_finite_differences(function: Any, values: Any) -> None:
    found, slopes = _gradient(function, values)
    onp.testing.assert_allclose(found, slopes, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("function", [np.linalg.eigh, np.linalg.eigvalsh, np.linalg.pinv])
def test_no_gradient_comes_from_what_mxnet_has_none_of(function: Any) -> None:
    values = _matrix(3, 3)
    found, _ = _gradient(function, values + values.T)
    assert not found.any()


def test_the_largest_component_of_singular_and_eigenvectors_is_positive() -> None:
    values = onp.random.RandomState(1).randn(4, 4)
    _, vectors = np.linalg.eigh(np.array(values + values.T, dtype="float64"))
    _, _, rows = np.linalg.svd(np.array(values, dtype="float64"))
    for one in (*vectors.asnumpy().T, *rows.asnumpy()):
        assert one[abs(one).argmax()] > 0


def test_vectors_are_drawn_by_their_means_and_covariances() -> None:
    mean, cov = np.array([1.0, 2.0]), np.array([[1.0, 0.3], [0.3, 2.0]])
    drawn = np.random.multivariate_normal(mean, cov, size=20000).asnumpy()
    onp.testing.assert_allclose(drawn.mean(0), [1, 2], atol=0.1)
    onp.testing.assert_allclose(onp.cov(drawn.T), cov.asnumpy(), atol=0.15)
    assert np.random.multivariate_normal(np.zeros((3, 2)), cov, size=(4,)).shape == (4, 3, 2)


def test_vectors_are_drawn_in_traces_and_have_no_gradient() -> None:
    class Draw(HybridBlock):
        def hybrid_forward(self, F: Any, mean: Any, cov: Any) -> Any:
            return F.np.random.multivariate_normal(mean, cov, size=(4,))

    block, mean, cov = Draw(), np.zeros(2), np.eye(2)
    block.hybridize()
    assert block(mean, cov).shape == (4, 2)
    cov.attach_grad()
    with autograd.record():
        drawn = block(mean, cov)
    with pytest.raises(MXNetError, match="no gradient"):
        drawn.backward()
