"""Factors, inverses and determinants of matrices in the last two axes."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Shape, TensorType
from hybridlint.runtime.ops.linalg.blas import require_matrices, transposed, triangle
from hybridlint.runtime.util import is_np_shape

_ONE_BY_ONE = [sample((1, 1), low=0.5), sample((2, 1, 1), low=0.5)]


def _infer_square(A: TensorType) -> TensorType:
    require_matrices(A, square=True)
    return A


def _infer_number(A: TensorType) -> TensorType:
    require_matrices(A, square=True)
    return A if A.shape is None else A.with_shape(_numbers_shape(A.shape))


def _infer_sum(A: TensorType) -> TensorType:
    require_matrices(A, square=True)
    return A if A.shape is None else A.with_shape(A.shape[:-2] or (1,))


def _numbers_shape(shape: Shape) -> Shape:
    """Return the shape of a result with one number per matrix.

    For a single matrix it is a scalar if shapes follow numpy, else (1,).
    """
    return shape[:-2] or (() if is_np_shape() else (1,))


def _beside(F: Any, numbers: Any, matrices: Any, like: Any) -> Any:
    """Multiply each matrix by its number in `numbers`; the result has the shape of `like`."""
    wide = F.expand_dims(F.expand_dims(numbers, axis=-1), axis=-1)
    return F.reshape_like(F.broadcast_mul(wide, matrices), like)


def _t(x: Any) -> Any:
    return x.swapaxes(-1, -2)


def _chain(xp: Any, *factors: Any) -> Any:
    result = factors[0]
    for factor in factors[1:]:
        result = xp.matmul(result, factor)
    return result


def _potrf_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, lower: bool) -> tuple[Any]:
    factor = outs[0]
    return (F._hl_potrf_grad(g, factor) if lower else F._hl_potrf_grad(transposed(F, g), transposed(F, factor)),)


@op(
    name="_linalg_potrf",
    aliases=("linalg_potrf",),
    infer=_infer_square,
    grad=_potrf_grad,
    samples=[*_ONE_BY_ONE, sample((1, 1), low=0.5, lower=False)],
)
def potrf(xp: Any, A: Any, /, *, lower: bool = True) -> Any:
    """Return the Cholesky factors of symmetric positive definite matrices: lower triangular, or their transposes."""
    factor = xp.linalg.cholesky(A)
    return factor if lower else _t(factor)


@op(infer=lambda g, L: L, samples=[sample((2, 2), (2, 2), low=0.5)])
def _hl_potrf_grad(xp: Any, g: Any, L: Any, /) -> Any:
    """Return the symmetric gradient with respect to a matrix, given the gradient `g` of its Cholesky factor L."""
    lower = xp.tril(xp.matmul(_t(L), xp.tril(g)))
    halves = lower * (1 - 0.5 * xp.eye(L.shape[-1], dtype=L.dtype))
    inverse = xp.linalg.inv(L)
    return _chain(xp, _t(inverse), (halves + _t(halves)) * 0.5, inverse)


def _potri_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, lower: bool) -> tuple[Any]:
    inverse = outs[0]
    factor = ins[0] if lower else transposed(F, ins[0])
    middle = F._linalg_gemm2(F._linalg_gemm2(inverse, g + transposed(F, g)), inverse)
    found = F._hl_triangle(F._linalg_gemm2(middle, F._hl_triangle(factor), alpha=-1.0))
    return (found if lower else transposed(F, found),)


@op(
    name="_linalg_potri",
    aliases=("linalg_potri",),
    infer=_infer_square,
    grad=_potri_grad,
    samples=[*_ONE_BY_ONE, sample((2, 2), low=0.5), sample((2, 2), low=0.5, lower=False)],
)
def potri(xp: Any, A: Any, /, *, lower: bool = True) -> Any:
    """Return the inverses of the matrices whose Cholesky factors are `A`: lower triangular, or their transposes."""
    inverse = xp.linalg.inv(triangle(xp, A if lower else _t(A), True))
    return xp.matmul(_t(inverse), inverse)


def _inverse_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any]:
    left = F._linalg_gemm2(outs[0], g, transpose_a=True, alpha=-1.0)
    return (F._linalg_gemm2(left, outs[0], transpose_b=True),)


@op(
    name="_linalg_inverse",
    aliases=("linalg_inverse",),
    infer=_infer_square,
    grad=_inverse_grad,
    samples=[sample((2, 2)), sample((2, 3, 3), low=0.0)],
)
def inverse(xp: Any, A: Any, /) -> Any:
    """Return the inverse of each matrix."""
    return xp.linalg.inv(A)


@op(
    name="_linalg_det",
    aliases=("linalg_det",),
    facts=Facts(output_names=("output0",)),
    infer=_infer_number,
    grad=lambda F, g, ins, outs: (
        _beside(F, F.broadcast_mul(g, outs[0]), transposed(F, F._linalg_inverse(ins[0])), ins[0]),
    ),
    samples=[sample((2, 2)), sample((2, 3, 3))],
)
def det(xp: Any, A: Any, /) -> Any:
    """Return the determinant of each matrix."""
    return xp.linalg.det(A).reshape(_numbers_shape(A.shape))


def _infer_slogdet(A: TensorType) -> tuple[TensorType, TensorType]:
    number = _infer_number(A)
    return number, number


@op(
    name="_linalg_slogdet",
    aliases=("linalg_slogdet",),
    infer=_infer_slogdet,
    grad=lambda F, g, ins, outs: (_beside(F, g[1], transposed(F, F._linalg_inverse(ins[0])), ins[0]),),
    outputs=2,
    samples=[sample((2, 2)), sample((2, 3, 3))],
)
def slogdet(xp: Any, A: Any, /) -> tuple[Any, Any]:
    """Return the sign of each determinant, and the logarithm of its absolute value."""
    sign, logarithm = xp.linalg.slogdet(A)
    shape = _numbers_shape(A.shape)
    return xp.asarray(sign, A.dtype).reshape(shape), xp.asarray(logarithm, A.dtype).reshape(shape)


def _sumlogdiag_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any]:
    inverses = F._linalg_makediag(1 / F._linalg_extractdiag(ins[0]))
    return (_beside(F, g, inverses, ins[0]),)


@op(
    name="_linalg_sumlogdiag",
    aliases=("linalg_sumlogdiag",),
    infer=_infer_sum,
    grad=_sumlogdiag_grad,
    samples=[sample((2, 2), low=0.5), sample((2, 3, 3), low=0.5)],
)
def sumlogdiag(xp: Any, A: Any, /) -> Any:
    """Return the sum of the logarithms of the diagonal of each matrix."""
    return xp.log(xp.diagonal(A, 0, -2, -1)).sum(axis=-1).reshape(A.shape[:-2] or (1,))


def _infer_syevd(A: TensorType) -> tuple[TensorType, TensorType]:
    require_matrices(A, square=True)
    return A, A if A.shape is None else A.with_shape(A.shape[:-1])


@op(
    name="_linalg_syevd",
    infer=_infer_syevd,
    grad=lambda F, g, ins, outs: (F._hl_syevd_grad(g[0], g[1], *outs),),
    outputs=2,
    samples=_ONE_BY_ONE,
)
def syevd(xp: Any, A: Any, /) -> tuple[Any, Any]:
    """Return the eigenvectors of symmetric matrices as rows, and the eigenvalues in ascending order."""
    values, vectors = xp.linalg.eigh(A)
    largest = xp.take_along_axis(vectors, xp.abs(vectors).argmax(axis=-2)[..., None, :], -2)
    return xp.ascontiguousarray(_t(vectors * xp.where(largest < 0, -1, 1).astype(A.dtype))), values


@op(
    infer=lambda g_vectors, g_values, vectors, values: vectors,
    samples=[sample((2, 2), (2,), (2, 2), (2,))],
)
def _hl_syevd_grad(xp: Any, g_vectors: Any, g_values: Any, vectors: Any, values: Any, /) -> Any:
    """Return the symmetric gradient with respect to a matrix, given those of its eigenvectors and eigenvalues."""
    gaps = values[..., None, :] - values[..., :, None]
    same = xp.eye(values.shape[-1], dtype=bool)
    inverse_gaps = xp.where(same, 0, 1 / xp.where(gaps == 0, xp.inf, gaps)).astype(vectors.dtype)
    inner = xp.matmul(vectors, _t(g_vectors)) * inverse_gaps + same * g_values[..., None, :]
    full = _chain(xp, _t(vectors), inner, vectors)
    return (full + _t(full)) * 0.5


def _infer_gelqf(A: TensorType) -> tuple[TensorType, TensorType]:
    require_matrices(A)
    if A.shape is None:
        return A, A
    rows, columns = A.shape[-2:]
    if isinstance(rows, int) and isinstance(columns, int) and rows > columns:
        raise InferError("A", f"expected at least as many columns as rows, got {A}")
    return A, A.with_shape((*A.shape[:-1], rows))


@op(
    name="_linalg_gelqf",
    aliases=("linalg_gelqf",),
    infer=_infer_gelqf,
    grad=lambda F, g, ins, outs: (F._hl_gelqf_grad(g[0], g[1], *outs),),
    outputs=2,
    samples=[sample((2, 3)), sample((2, 2, 2))],
)
def gelqf(xp: Any, A: Any, /) -> tuple[Any, Any]:
    """Return orthonormal rows Q and lower triangular L with A = L Q."""
    Q, R = xp.linalg.qr(_t(A))
    return xp.ascontiguousarray(_t(Q)), xp.ascontiguousarray(_t(R))


@op(
    infer=lambda g_rows, g_lower, rows, lower: rows,
    samples=[sample((2, 3), (2, 2), (2, 3), (2, 2), low=0.5)],
)
def _hl_gelqf_grad(xp: Any, g_rows: Any, g_lower: Any, rows: Any, lower: Any, /) -> Any:
    """Return the gradient with respect to a matrix, given the gradients of its factors Q and L."""
    mixed = xp.matmul(_t(lower), g_lower) - xp.matmul(g_rows, _t(rows))
    symmetric = xp.tril(mixed) + _t(xp.tril(mixed, -1))
    return xp.linalg.solve(_t(lower), g_rows + xp.matmul(symmetric, rows))
