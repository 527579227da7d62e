"""Matrix products over the last two axes, and linear equations with triangular matrices."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import differ
from hybridlint.runtime.facts.infer import normal_axis, unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Shape, TensorType
from hybridlint.runtime.ops.blocks import is_numpy
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal


def require_matrices(*ins: TensorType, square: bool = False) -> None:
    """Raise InferError if an input is known to have fewer than two dimensions, or (with `square`) not to be square."""
    for t, name in zip(ins, "ABC", strict=False):
        if t.shape is None:
            continue
        if len(t.shape) < 2:
            raise InferError(name, f"expected at least 2 dimensions, got {len(t.shape)}")
        if square and differ(t.shape[-1], t.shape[-2]):
            raise InferError(name, f"expected square matrices, got {t}")


def transposed(F: Any, x: Any) -> Any:
    """Swap the last two axes."""
    return F.SwapAxis(x, dim1=-1, dim2=-2)


def _rows_last(shape: Shape, axis: int, transpose: bool) -> Shape:
    """Return the shape (..., rows, columns) of an operand whose rows lie along `axis`; exchanged if `transpose`."""
    place = normal_axis(axis, len(shape))
    batch = shape[:place] + shape[place + 1 : -1]
    return (*batch, shape[-1], shape[place]) if transpose else (*batch, shape[place], shape[-1])


def _infer_gemm2(A: TensorType, B: TensorType, *, transpose_a: bool, transpose_b: bool, axis: int) -> TensorType:
    require_matrices(A, B)
    dtype = one_dtype(A, B, argument="B")
    if A.shape is None or B.shape is None:
        return TensorType(None, dtype)
    left, right = _rows_last(A.shape, axis, transpose_a), _rows_last(B.shape, axis, transpose_b)
    batch = unify_shapes(left[:-2], right[:-2], "B") or ()
    require_equal(left[-1], right[-2], "B", "size to sum over")
    place = normal_axis(axis, len(A.shape))
    return TensorType((*batch[:place], left[-2], *batch[place:], right[-1]), dtype)


def _product(xp: Any, A: Any, B: Any, transpose_a: bool, transpose_b: bool, axis: int) -> Any:
    left, right = xp.moveaxis(A, axis, -2), xp.moveaxis(B, axis, -2)
    left = left.swapaxes(-1, -2) if transpose_a else left
    right = right.swapaxes(-1, -2) if transpose_b else right
    return xp.moveaxis(xp.matmul(left, right), -2, axis)


def _gemm2_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    transpose_a: bool,
    transpose_b: bool,
    alpha: float,
    axis: int,
) -> tuple[Any, Any]:
    A, B, known = ins[0], ins[1], {"alpha": alpha, "axis": axis}
    if transpose_a:
        into_a = F._linalg_gemm2(B, g, transpose_a=transpose_b, transpose_b=True, **known)
    else:
        into_a = F._linalg_gemm2(g, B, transpose_b=not transpose_b, **known)
    if transpose_b:
        into_b = F._linalg_gemm2(g, A, transpose_a=True, transpose_b=transpose_a, **known)
    else:
        into_b = F._linalg_gemm2(A, g, transpose_a=not transpose_a, **known)
    return into_a, into_b


@op(
    name="_linalg_gemm2",
    aliases=("linalg_gemm2",),
    infer=_infer_gemm2,
    grad=_gemm2_grad,
    facts=Facts(bilinear=True),
    samples=[
        sample((2, 3), (3, 4)),
        sample((2, 3, 2), (2, 4, 3), transpose_a=True, transpose_b=True, alpha=0.5),
        sample((2, 2, 3), (3, 2, 2), axis=-3),
        sample((2, 2, 3), (2, 4, 3), transpose_b=True),
    ],
)
def gemm2(
    xp: Any,
    A: Any,
    B: Any,
    /,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    axis: int = -2,
) -> Any:
    """Return alpha * A B for matrices whose rows lie along `axis` and whose columns lie along the last axis."""
    result = _product(xp, A, B, transpose_a, transpose_b, axis)
    return result if alpha == 1 else result * alpha


def _infer_gemm(
    A: TensorType, B: TensorType, C: TensorType, *, transpose_a: bool, transpose_b: bool, axis: int
) -> TensorType:
    product = _infer_gemm2(A, B, transpose_a=transpose_a, transpose_b=transpose_b, axis=axis)
    return TensorType(unify_shapes(product.shape, C.shape, "C"), one_dtype(product, C, argument="C"))


def _gemm_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, beta: float, **params: Any
) -> tuple[Any, Any, Any]:
    return (*_gemm2_grad(F, g, ins, outs, **params), g * beta)


@op(
    name="_linalg_gemm",
    aliases=("linalg_gemm",),
    infer=_infer_gemm,
    grad=_gemm_grad,
    samples=[sample((2, 2, 3), (2, 3, 2), (2, 2, 2), alpha=0.5, beta=2.0)],
)
def gemm(
    xp: Any,
    A: Any,
    B: Any,
    C: Any,
    /,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    alpha: float = 1.0,
    beta: float = 1.0,
    axis: int = -2,
) -> Any:
    """Return alpha * A B + beta * C for matrices whose rows lie along `axis` and columns along the last axis."""
    return _product(xp, A, B, transpose_a, transpose_b, axis) * alpha + C * beta


def _infer_syrk(A: TensorType, *, transpose: bool) -> TensorType:
    require_matrices(A)
    if A.shape is None:
        return A
    size = A.shape[-1] if transpose else A.shape[-2]
    return A.with_shape((*A.shape[:-2], size, size))


def _syrk_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, transpose: bool, alpha: float
) -> tuple[Any]:
    both = g + transposed(F, g)
    if transpose:
        return (F._linalg_gemm2(ins[0], both, alpha=alpha),)
    return (F._linalg_gemm2(both, ins[0], alpha=alpha),)


@op(
    name="_linalg_syrk",
    aliases=("linalg_syrk",),
    infer=_infer_syrk,
    grad=_syrk_grad,
    samples=[sample((1, 2, 3), alpha=2.0), sample((2, 3), transpose=True)],
)
def syrk(xp: Any, A: Any, /, *, transpose: bool = False, alpha: float = 1.0) -> Any:
    """Return alpha * A A^T for each matrix, or alpha * A^T A with `transpose`."""
    other = A.swapaxes(-1, -2)
    return (xp.matmul(other, A) if transpose else xp.matmul(A, other)) * alpha


def _infer_triangular(A: TensorType, B: TensorType, *, rightside: bool) -> TensorType:
    require_matrices(A, B)
    require_matrices(A, square=True)
    if A.shape is not None and B.shape is not None:
        unify_shapes(A.shape[:-2], B.shape[:-2], "B")
        require_equal(A.shape[-1], B.shape[-1 if rightside else -2], "B", "size beside the triangle")
    return B.with_dtype(one_dtype(A, B, argument="B"))


#: Triangular equations of so few unknowns are solved at once.
_SOLVED_AT_ONCE = 48


def triangle(xp: Any, A: Any, lower: bool) -> Any:
    """Return the lower triangles of matrices, or the upper ones, with zeros elsewhere."""
    return xp.tril(A) if lower else xp.triu(A)


@op(
    infer=lambda A: A,
    grad=lambda F, g, ins, outs, *, lower: (F._hl_triangle(g, lower=lower),),
    samples=[sample((2, 3, 3)), sample((3, 3), lower=False)],
)
def _hl_triangle(xp: Any, A: Any, /, *, lower: bool = True) -> Any:
    """Return the lower triangles of matrices, or the upper ones, with zeros elsewhere."""
    return triangle(xp, A, lower)


_TRIANGULAR = [
    sample((1, 2, 2), (1, 2, 3), low=0.5, alpha=2.0),
    sample((2, 2), (2, 2), low=0.5, lower=False),
    sample((2, 2), (2, 2), low=0.5, transpose=True),
    sample((2, 2), (3, 2), low=0.5, rightside=True),
    sample((2, 2), (3, 2), low=0.5, rightside=True, transpose=True, lower=False),
]


def _trmm_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    transpose: bool,
    rightside: bool,
    lower: bool,
    alpha: float,
) -> tuple[Any, Any]:
    A, B = ins
    into_b = F._linalg_trmm(A, g, transpose=not transpose, rightside=rightside, lower=lower, alpha=alpha)
    pair = (B, g) if rightside else (g, B)
    flags = {"transpose_a": rightside, "transpose_b": not rightside}
    into_factor = F._linalg_gemm2(*pair, alpha=alpha, **flags)
    return F._hl_triangle(transposed(F, into_factor) if transpose else into_factor, lower=lower), into_b


@op(
    name="_linalg_trmm",
    aliases=("linalg_trmm",),
    infer=_infer_triangular,
    grad=_trmm_grad,
    samples=_TRIANGULAR,
)
def trmm(
    xp: Any,
    A: Any,
    B: Any,
    /,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Any:
    """Return alpha * op(A) B, or alpha * B op(A) with `rightside`, for triangular matrices A.

    Only the lower triangle of A is read, or the upper one without `lower`; op transposes with `transpose`.
    """
    factor = triangle(xp, A, lower)
    factor = factor.swapaxes(-1, -2) if transpose else factor
    return (xp.matmul(B, factor) if rightside else xp.matmul(factor, B)) * alpha


def _trsm_grad(
    F: Any,
    g: Any,
    ins: tuple[Any, ...],
    outs: tuple[Any, ...],
    *,
    transpose: bool,
    rightside: bool,
    lower: bool,
    alpha: float,
) -> tuple[Any, Any]:
    A, solved = ins[0], outs[0]
    plain = F._linalg_trsm(A, g, transpose=not transpose, rightside=rightside, lower=lower)
    if rightside:
        into_factor = F._linalg_gemm2(solved, plain, transpose_a=True, alpha=-1.0)
    else:
        into_factor = F._linalg_gemm2(plain, solved, transpose_b=True, alpha=-1.0)
    into_a = F._hl_triangle(transposed(F, into_factor) if transpose else into_factor, lower=lower)
    return into_a, plain * alpha


@op(
    name="_linalg_trsm",
    aliases=("linalg_trsm",),
    infer=_infer_triangular,
    grad=_trsm_grad,
    samples=_TRIANGULAR,
)
def trsm(
    xp: Any,
    A: Any,
    B: Any,
    /,
    *,
    transpose: bool = False,
    rightside: bool = False,
    lower: bool = True,
    alpha: float = 1.0,
) -> Any:
    """Solve op(A) X = alpha * B, or X op(A) = alpha * B with `rightside`, for triangular matrices A.

    Only the lower triangle of A is read, or the upper one without `lower`; op transposes with `transpose`.
    """
    factor = triangle(xp, A, lower)
    # The right side is that of the transposed equation.
    turned = transpose != rightside
    factor, right = factor.swapaxes(-1, -2) if turned else factor, B.swapaxes(-1, -2) if rightside else B
    solve = _solve_by_halves if is_numpy(xp) else _solve_at_once
    solved = solve(xp, factor, right, lower != turned)
    return (solved.swapaxes(-1, -2) if rightside else solved) * alpha


def _solve_at_once(xp: Any, factor: Any, right: Any, lower: bool) -> Any:
    return xp.linalg.solve(factor, right)


def _solve_by_halves(xp: Any, factor: Any, right: Any, lower: bool) -> Any:
    """Solve a triangular equation, one half of the unknowns after the other: products are faster than elimination."""
    size = factor.shape[-1]
    if size <= _SOLVED_AT_ONCE:
        return xp.linalg.solve(factor, right)
    parts = slice(None, size // 2), slice(size // 2, None)
    first, second = parts if lower else parts[::-1]
    known = _solve_by_halves(xp, factor[..., first, first], right[..., first, :], lower)
    rest = right[..., second, :] - xp.matmul(factor[..., second, first], known)
    others = _solve_by_halves(xp, factor[..., second, second], rest, lower)
    return xp.concatenate([known, others] if lower else [others, known], axis=-2)
