"""Random matrices with properties that tests of linear algebra need, as numpy data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def get_identity_mat(size: int) -> Any:
    """Return the identity matrix."""
    return np.identity(size)


def get_identity_mat_batch(size: int) -> Any:
    """Return two identity matrices."""
    return np.stack([np.identity(size)] * 2)


def new_orthonormal_matrix_2d(n: int) -> Any:
    """Return a random orthonormal matrix."""
    return np.linalg.qr(np.random.randn(n, n))[0]


def new_matrix_with_real_eigvals_2d(n: int) -> Any:
    """Return a random matrix with real, well-separated eigenvalues."""
    values = np.arange(1, n + 1) + np.random.uniform(0, 0.5, n)
    basis = new_orthonormal_matrix_2d(n) + 0.1 * np.identity(n)
    return basis @ np.diag(values) @ np.linalg.inv(basis)


def new_sym_matrix_with_real_eigvals_2d(n: int) -> Any:
    """Return a random symmetric matrix with well-separated eigenvalues."""
    basis = new_orthonormal_matrix_2d(n)
    return basis @ np.diag(np.arange(1, n + 1) + np.random.uniform(0, 0.5, n)) @ basis.T


def new_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> Any:
    """Return a stack of such matrices."""
    return _stacked(shape, new_matrix_with_real_eigvals_2d)


def new_sym_matrix_with_real_eigvals_nd(shape: Sequence[int]) -> Any:
    """Return a stack of such symmetric matrices."""
    return _stacked(shape, new_sym_matrix_with_real_eigvals_2d)


def _stacked(shape: Sequence[int], make: Callable[[int], Any]) -> Any:
    count = int(np.prod(shape[:-2]))
    return np.array([make(shape[-1]) for _ in range(count)]).reshape(tuple(shape))
