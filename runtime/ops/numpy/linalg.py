"""Linear algebra in numpy mode."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Axes, InferError, Shape, TensorType
from hybridlint.runtime.ops.numpy.promotion import reduced
from hybridlint.runtime.ops.type_rules import require_equal


def _infer_norm(data: TensorType, /, *, axis: Axes, keepdims: bool) -> TensorType:
    return data.with_shape(None if data.shape is None else reduced(data.shape, axis, keepdims))


def _norm_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, ord: float, axis: Axes, flag: int
) -> tuple[Any, ...]:
    x, y = ins[0], outs[0]
    if flag > 0 or (flag == 0 and axis is None and len(x.shape) == 2):
        return (F._hl_matrix_norm_gradient(g, x, ord=ord, axis=axis, flag=flag),)
    if ord not in {1, 2}:
        # |x| ** (ord - 1), as a part of the norm's own, with the sign of x.
        part = F._npi_power_scalar(F._npi_absolute(x), scalar=ord - 1)
        scale = F._hl_numpy_spread(g * F._npi_power_scalar(y, scalar=1 - ord), x, axis=axis)
        return (scale * part * F.sign(x),)
    spread = F._hl_numpy_spread(g if ord == 1 else g / y, x, axis=axis)
    return (spread * (F.sign(x) if ord == 1 else x),)


@op(
    infer=_infer_norm,
    grad=_norm_grad,
    samples=[
        sample((2, 3), axis=None, ord=2.0, flag=-2),
        sample((2, 3), axis=(1,), ord=1.0, flag=0),
    ],
    facts=Facts(numpy_names=("linalg.norm",)),
)
def _npi_norm(
    xp: Any,
    data: Any,
    /,
    *,
    ord: float = 2.0,
    axis: Axes = None,
    keepdims: bool = False,
    flag: int = -2,
) -> Any:
    """Return the norm of order `ord` of all elements, or along axes; with a positive `flag`, a matrix norm."""
    if flag > 0 or (flag == 0 and axis is None and data.ndim == 2):
        return xp.asarray(xp.linalg.norm(data, "nuc" if flag == 2 else ord, axis, keepdims)).astype(data.dtype)
    axes = tuple(range(data.ndim)) if axis is None else axis
    if ord == 2:
        found = xp.sqrt(xp.sum(xp.square(data), axis=axes, keepdims=keepdims))
    elif ord == 1:
        found = xp.sum(xp.abs(data), axis=axes, keepdims=keepdims)
    else:
        found = xp.linalg.norm(data, ord, axes, keepdims)
    return xp.asarray(found).astype(data.dtype, copy=False)


def _square(t: TensorType) -> Shape | None:
    if t.shape is None:
        return None
    if len(t.shape) < 2:
        raise InferError("A", f"expected at least 2 dimensions, got {len(t.shape)}")
    require_equal(t.shape[-2], t.shape[-1], "A", "a square matrix")
    return t.shape


def _infer_solve(a: TensorType, b: TensorType, /) -> TensorType:
    shape = _square(a)
    if shape is not None and b.shape is not None:
        if len(shape) != 2 and len(b.shape) != len(shape):
            raise InferError("B", f"expected {len(shape)} dimensions, got {len(b.shape)}")
        require_equal(shape[-1], b.shape[0 if len(b.shape) == 1 else -2], "B", "rows of the right side")
    return b


def _solve_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    of_b = F._npi_solve(F.SwapAxis(ins[0], dim1=-1, dim2=-2), g)
    if len(outs[0].shape) == 1:
        return -F._npi_tensordot_int_axes(of_b, outs[0], axes=0), of_b
    return -F._npi_matmul(of_b, F.SwapAxis(outs[0], dim1=-1, dim2=-2)), of_b


@op(
    infer=_infer_solve,
    grad=_solve_grad,
    samples=[sample((2, 2), (2, 3), low=1.0), sample((2, 2), (2,), low=1.0)],
    facts=Facts(numpy_names=("linalg.solve",)),
)
def _npi_solve(xp: Any, a: Any, b: Any, /) -> Any:
    """Return the solution x of the linear equations a x = b."""
    return xp.linalg.solve(a, b)


def _infer_svd(a: TensorType, /) -> tuple[TensorType, ...]:
    if a.shape is None:
        return a, a, a
    if len(a.shape) < 2:
        raise InferError("A", "expected at least 2 dimensions")
    *batch, rows, columns = a.shape
    if isinstance(rows, int) and isinstance(columns, int) and rows > columns:
        raise InferError("A", f"expected at least as many columns as rows, got {rows} rows of {columns}")
    return (
        a.with_shape((*batch, rows, rows)),
        a.with_shape((*batch, rows)),
        a.with_shape((*batch, rows, columns)),
    )


@op(
    infer=_infer_svd,
    grad=lambda F, g, ins, outs: (F._hl_svd_gradient(*g, *outs),),
    outputs=3,
    samples=[sample((2, 3))],
    facts=Facts(numpy_names=("linalg.svd",)),
)
def _npi_svd(xp: Any, a: Any, /) -> tuple[Any, ...]:
    """Return the singular value decomposition of matrices that have at least as many columns as rows."""
    u, s, vt = xp.linalg.svd(a, full_matrices=False)
    signs = _signs(xp, vt.swapaxes(-1, -2))
    return u * signs, s, vt * signs.swapaxes(-1, -2)


def _signs(xp: Any, vectors: Any) -> Any:
    """Return -1 for each column whose component of largest magnitude is negative, else 1."""
    if not vectors.size:
        return xp.ones((*vectors.shape[:-2], 1, vectors.shape[-1]), vectors.dtype)
    largest = xp.take_along_axis(vectors, xp.abs(vectors).argmax(axis=-2)[..., None, :], -2)
    return xp.where(largest < 0, -1, 1).astype(vectors.dtype)


def _infer_eigh(a: TensorType, /) -> tuple[TensorType, TensorType]:
    shape = _square(a)
    return a.with_shape(None if shape is None else shape[:-1]), a


@op(
    infer=_infer_eigh,
    grad=zero_gradient,
    outputs=2,
    samples=[sample((2, 2))],
    facts=Facts(numpy_names=("linalg.eigh",), written_beside_first=True),
    differentiable_twice=True,
)
def _npi_eigh(xp: Any, a: Any, /, *, UPLO: str = "L") -> tuple[Any, ...]:
    """Return eigenvalues and eigenvectors of symmetric matrices; the largest component of each is not negative."""
    values, vectors = xp.linalg.eigh(a, UPLO)
    return values, vectors * _signs(xp, vectors)


@op(
    infer=lambda a, /: _infer_eigh(a)[0],
    grad=zero_gradient,
    samples=[sample((2, 2))],
    facts=Facts(numpy_names=("linalg.eigvalsh",)),
    differentiable_twice=True,
)
def _npi_eigvalsh(xp: Any, a: Any, /, *, UPLO: str = "L") -> Any:
    """Eigenvalues of symmetric matrices."""
    return xp.linalg.eigvalsh(a, UPLO)


def _infer_pinv(a: TensorType, /) -> TensorType:
    if a.shape is None:
        return a
    if len(a.shape) < 2:
        raise InferError("A", f"expected at least 2 dimensions, got {len(a.shape)}")
    return a.with_shape((*a.shape[:-2], a.shape[-1], a.shape[-2]))


@op(
    infer=_infer_pinv,
    grad=zero_gradient,
    samples=[sample((2, 3))],
    facts=Facts(numpy_names=("linalg.pinv",)),
    host="CuPy's pinv knows no Hermitian matrices",
    differentiable_twice=True,
)
def _npi_pinv_scalar_rcond(xp: Any, a: Any, /, *, rcond: float = 1e-15, hermitian: bool = False) -> Any:
    """Pseudo-inverse of matrices."""
    return xp.linalg.pinv(a, rcond, hermitian).astype(a.dtype, copy=False)


@op(
    infer=lambda a, rcond, /: _infer_pinv(a),
    grad=zero_gradient,
    samples=[sample((2, 2, 3), (2,), low=0.1, high=0.2)],
    facts=Facts(numpy_names=("linalg.pinv",)),
    host="CuPy's pinv knows no Hermitian matrices",
    differentiable_twice=True,
)
def _npi_pinv(xp: Any, a: Any, rcond: Any, /, *, hermitian: bool = False) -> Any:
    """Pseudo-inverse of matrices; singular values below `rcond` times the largest count as 0."""
    return xp.linalg.pinv(a, rcond, hermitian).astype(a.dtype, copy=False)
