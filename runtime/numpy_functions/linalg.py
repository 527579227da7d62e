"""Functions of ``np.linalg``."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.numpy_functions.world import Function, NumpyWorld


def norm(world: NumpyWorld, x: Any, ord: Any = None, axis: Any = None, keepdims: bool = False) -> Any:
    """Norm of all elements, of vectors along an axis, or of matrices along two."""
    pair = isinstance(axis, (list, tuple)) and len(axis) == 2
    # In a trace the rank is not known: a nuclear norm is one of matrices.
    if not pair and axis is None and (ord == "nuc" or (world.eager and x.ndim == 2 and ord in {np.inf, -np.inf})):
        axis, pair = (-2, -1), True
    if pair and ord in {np.inf, -np.inf}:
        return _of_row_sums(world, x, ord, axis, keepdims)
    if pair and ord not in {None, "fro"}:
        order, flag = (2.0, 2) if ord == "nuc" else (float(ord), 1)
        return world.call("_npi_norm", x, ord=order, axis=axis, keepdims=keepdims, flag=flag)
    if ord in {None, "fro"}:
        return world.call("_npi_norm", x, ord=2, axis=axis, keepdims=keepdims, flag=-2)
    if ord in {"inf", np.inf, "-inf", -np.inf}:
        bound = "_np_max" if ord in {"inf", np.inf} else "_np_min"
        return world.call(bound, world.call("_npi_absolute", x, hint="abs"), axis=axis, keepdims=keepdims)
    return world.call("_npi_norm", x, ord=float(ord), axis=axis, keepdims=keepdims, flag=0)


def _of_row_sums(world: NumpyWorld, x: Any, ord: float, axis: Any, keepdims: bool) -> Any:
    """Return the largest or least sum of absolute values along the second axis."""
    sums = world.call("_np_sum", world.call("_npi_absolute", x, hint="abs"), axis=(axis[1],), keepdims=True)
    found = world.call("_np_max" if ord > 0 else "_np_min", sums, axis=(axis[0],), keepdims=True)
    return found if keepdims else world.call("_np_squeeze", found, axis=tuple(axis))


def _listed(world: NumpyWorld, found: Any) -> Any:
    return tuple(found) if world.eager else list(found)


def svd(world: NumpyWorld, a: Any) -> Any:
    """Singular value decomposition of matrices that are at least as wide as high."""
    return _listed(world, world.call("_npi_svd", a))


def eigh(world: NumpyWorld, a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues and eigenvectors of symmetric matrices."""
    return _listed(world, world.call("_npi_eigh", a, UPLO=UPLO))


def eigvalsh(world: NumpyWorld, a: Any, UPLO: str = "L") -> Any:
    """Eigenvalues of symmetric matrices."""
    return world.call("_npi_eigvalsh", a, UPLO=UPLO)


def slogdet(world: NumpyWorld, a: Any) -> Any:
    """Sign and logarithm of determinants."""
    return _listed(world, world.call("_linalg_slogdet", a))


def det(world: NumpyWorld, a: Any) -> Any:
    """Return the determinants of matrices."""
    return world.call("_linalg_det", a, hint="det")


def inv(world: NumpyWorld, a: Any) -> Any:
    """Inverses of matrices."""
    return world.call("_linalg_inverse", a, hint="inv")


def cholesky(world: NumpyWorld, a: Any) -> Any:
    """Cholesky factors of positive definite matrices."""
    return world.call("_linalg_potrf", a, hint="cholesky")


def solve(world: NumpyWorld, a: Any, b: Any) -> Any:
    """Solve linear equations."""
    return world.call("_npi_solve", a, b)


def pinv(world: NumpyWorld, a: Any, rcond: Any = 1e-15, hermitian: bool = False) -> Any:
    """Pseudo-inverses of matrices; `rcond` is a number, or one for each matrix."""
    if world.is_tensor(rcond):
        return world.call("_npi_pinv", a, rcond, hermitian=hermitian)
    return world.call("_npi_pinv_scalar_rcond", a, rcond=rcond, hermitian=hermitian)


def eig(world: NumpyWorld, a: Any) -> Any:
    """Eigenvalues and eigenvectors of matrices, which must be real."""
    return _listed(world, world.call("_npi_eig", a))


def eigvals(world: NumpyWorld, a: Any) -> Any:
    """Eigenvalues of matrices, which must be real."""
    return world.call("_npi_eigvals", a)


def tensorinv(world: NumpyWorld, a: Any, ind: int = 2) -> Any:
    """Inverse of a tensor as a map from its axes behind `ind` to those before."""
    return world.call("_npi_tensorinv", a, ind=ind)


def tensorsolve(world: NumpyWorld, a: Any, b: Any, axes: Any = None) -> Any:
    """Solve linear equations between tensors."""
    return world.call("_npi_tensorsolve", a, b, a_axes=() if axes is None else tuple(axes))


FUNCTIONS: dict[str, Function] = {
    name: value
    for name, value in globals().items()
    if callable(value) and getattr(value, "__module__", None) == __name__ and not name.startswith("_")
}
