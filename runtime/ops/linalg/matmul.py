"""Matrix products."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

from hybridlint.runtime.facts.deferred_shapes import waits
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.recipes import sizes_of
from hybridlint.runtime.facts.registry import BufferRecipe, Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Shape, TensorType
from hybridlint.runtime.ops.panels import height_of_small
from hybridlint.runtime.ops.storage.products import DOT, DOT_GRAD
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal


def _oriented(shape: Shape, first: bool, transpose: bool) -> tuple[Shape, DimLike]:
    """Return the sizes of an operand that the product keeps, and the size that it sums over."""
    if not shape:
        raise InferError("lhs" if first else "rhs", "expected at least one dimension")
    if len(shape) == 1:
        return (), shape[0]
    return (shape[:-1], shape[-1]) if first != transpose else (shape[1:], shape[0])


def _infer_dot(lhs: TensorType, rhs: TensorType, *, transpose_a: bool, transpose_b: bool) -> TensorType:
    dtype = one_dtype(lhs, rhs)
    if lhs.shape is None or rhs.shape is None:
        return TensorType(None, dtype)
    left, inner = _oriented(lhs.shape, True, transpose_a)
    right, outer = _oriented(rhs.shape, False, transpose_b)
    require_equal(inner, outer, "rhs", "size to sum over")
    return TensorType((*left, *right) or (1,), dtype)


def _dot_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, transpose_a: bool, transpose_b: bool
) -> tuple[Any, Any]:
    lhs, rhs = ins
    params = {"transpose_a": transpose_a, "transpose_b": transpose_b}
    # The gradient of sparse data, which is large, is computed for who asks for it.
    idle = getattr(lhs, "_is_sparse", False) and lhs._entry is None
    into = None if idle else F._hl_dot_grad(g, rhs, lhs, of=0, **params)
    return into, F._hl_dot_grad(g, lhs, rhs, of=1, **params)


@op(
    aliases=("_sparse_dot",),
    storage=DOT,
    infer=_infer_dot,
    grad=_dot_grad,
    facts=Facts(numpy_names=("dot",), sums_products=True, bilinear=True),
    samples=[
        sample((2, 3), (3, 4)),
        sample((3, 2), (4, 3), transpose_a=True, transpose_b=True),
        sample((2, 3, 4), (4, 5)),
        sample((2, 3, 4), (2, 5), transpose_a=True),
        sample((3,), (3,)),
        sample((2, 3), (3,)),
        sample((3,), (2, 3), transpose_b=True),
    ],
)
def dot(
    xp: Any,
    lhs: Any,
    rhs: Any,
    /,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal["csr", "default", "row_sparse"] | None = None,
    out: Any = None,
) -> Any:
    """Return the product summed over the last axis of `lhs` and the first axis of `rhs`.

    With `transpose_a`, over the first axis of `lhs`; with `transpose_b`, over the last axis of `rhs`.
    """
    left, right = _matrix(xp, lhs, True, transpose_a), _matrix(xp, rhs, False, transpose_b)
    shape = (*_kept(lhs.shape, True, transpose_a), *_kept(rhs.shape, False, transpose_b)) or (1,)
    target = None if out is None else out.reshape(left.shape[0], right.shape[1])
    return xp.matmul(left, right, out=target).reshape(shape)


def _kept(shape: tuple[int, ...], first: bool, transpose: bool) -> tuple[Any, ...]:
    return _oriented(shape, first, transpose)[0]


def _matrix(xp: Any, operand: Any, first: bool, transpose: bool) -> Any:
    """Return an operand of dot reshaped to a matrix, with the axis to sum over last (`first` operand) or first."""
    if operand.ndim == 1:
        return operand.reshape((1, -1) if first else (-1, 1))
    if first:
        return operand.reshape(operand.shape[0], -1).T if transpose else operand.reshape(-1, operand.shape[-1])
    return operand.reshape(-1, operand.shape[-1]).T if transpose else operand.reshape(operand.shape[0], -1)


def _dot_grad_grad(
    F: Any, gg: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, of: int, **params: Any
) -> tuple[Any, Any, None]:
    g, other, _ = ins
    into_g = F.dot(other, gg, **params) if of else F.dot(gg, other, **params)
    return F.reshape_like(into_g, g), F._hl_dot_grad(g, gg, other, of=1 - of, **params), None


@op(
    infer=lambda g, other, like: like,
    grad=_dot_grad_grad,
    samples=[
        sample((2, 4), (3, 4), (2, 3), of=0),
        sample((2, 4), (3, 2), (4, 3), of=1, transpose_a=True, transpose_b=True),
    ],
    storage=DOT_GRAD,
)
def _hl_dot_grad(
    xp: Any,
    g: Any,
    other: Any,
    like: Any,
    /,
    *,
    of: int,
    transpose_a: bool = False,
    transpose_b: bool = False,
) -> Any:
    """Return the gradient with respect to one operand of dot: the left one (`of` 0) or the right one (1).

    `other` is the other operand, `like` the operand itself.
    """
    if of == 0:
        right = _matrix(xp, other, False, transpose_b)
        into = xp.matmul(g.reshape(-1, right.shape[1]), right.T)
        return (into.T if transpose_a and like.ndim > 1 else into).reshape(like.shape)
    left = _matrix(xp, other, True, transpose_a)
    into = xp.matmul(left.T, g.reshape(left.shape[0], -1))
    return (into.T if transpose_b and like.ndim > 1 else into).reshape(like.shape)


def _told_batch_dot(result: Shape, ins: tuple[Shape | None, Shape | None], /) -> Shape | None:
    """Return the result's shape where MXNet knows the last size of `lhs` and the last but one of `rhs`.

    These are the sizes to sum over of matrices that are not transposed; MXNet asks for them in any case.
    """
    lhs, rhs = ins
    known = lhs is not None and rhs is not None and isinstance(lhs[-1], int) and isinstance(rhs[-2], int)
    return result if known else None


@waits(_told_batch_dot)
def _infer_batch_dot(lhs: TensorType, rhs: TensorType, *, transpose_a: bool, transpose_b: bool) -> TensorType:
    dtype = one_dtype(lhs, rhs)
    for name, t in (("lhs", lhs), ("rhs", rhs)):
        if t.shape is not None and len(t.shape) < 3:
            raise InferError(name, f"expected at least 3 dimensions, got {len(t.shape)}")
    left = _matrix_sizes(lhs, rhs, transpose_a)
    right = _matrix_sizes(rhs, lhs, transpose_b)
    if left is None or right is None:
        return TensorType(None, dtype)
    batch = unify_shapes(left[:-2], right[:-2], "rhs") or ()
    require_equal(left[-1], right[-2], "rhs", "size to sum over")
    return TensorType((*batch, left[-2], right[-1]), dtype)


def _matrix_sizes(t: TensorType, other: TensorType, transpose: bool) -> Shape | None:
    """Return the shape of an operand, with the last two sizes exchanged if `transpose`.

    If it is unknown, a shape of unknown sizes with the rank of the other operand; None if both are unknown.
    """
    if t.shape is None:
        return None if other.shape is None else tuple(Dim.fresh() for _ in other.shape)
    return (*t.shape[:-2], t.shape[-1], t.shape[-2]) if transpose else t.shape


def _batch_dot_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, transpose_a: bool, transpose_b: bool
) -> tuple[Any, Any]:
    lhs, rhs = ins
    if transpose_a:
        into_lhs = F.batch_dot(rhs, g, transpose_a=transpose_b, transpose_b=True)
    else:
        into_lhs = F.batch_dot(g, rhs, transpose_b=not transpose_b)
    if transpose_b:
        into_rhs = F.batch_dot(g, lhs, transpose_a=True, transpose_b=transpose_a)
    else:
        into_rhs = F.batch_dot(lhs, g, transpose_a=not transpose_a)
    return into_lhs, into_rhs


def _planned_batch_dot(
    ins: tuple[TensorType | None, ...],
    outs: tuple[TensorType, ...],
    /,
    *,
    transpose_a: bool,
    transpose_b: bool,
) -> BufferRecipe | None:
    """Multiply some rows at a time."""
    (left, _), (held,) = ins, outs
    assert left is not None
    *batch, rows, columns = sizes_of(held)
    inner = sizes_of(left)[-2 if transpose_a else -1]
    height = height_of_small(rows, inner, columns)
    if height is None or held.dtype not in {"float32", "float64"} or rows < columns * transpose_b // 4:
        return None
    if height == rows and not transpose_b:
        return None

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        left, right = ins
        if transpose_b:
            right = scratch[0]
            xp.copyto(right, xp.swapaxes(ins[1], -1, -2))
        parts = (xp.swapaxes(left, -1, -2) if transpose_a else left).reshape(*batch, rows // height, height, inner)
        place = outs[0].reshape(*batch, rows // height, height, columns)
        xp.matmul(parts, right[..., None, :, :], out=place)

    return BufferRecipe(run, (TensorType((*batch, inner, columns), held.dtype),) if transpose_b else ())


@op(
    planned=_planned_batch_dot,
    infer=_infer_batch_dot,
    grad=_batch_dot_grad,
    facts=Facts(numpy_names=("matmul",), sums_products=True, bilinear=True),
    samples=[
        sample((2, 3, 4), (2, 4, 2)),
        sample((2, 4, 3), (2, 2, 4), transpose_a=True, transpose_b=True),
        sample((2, 4, 3), (2, 4, 2), transpose_a=True),
        sample((2, 3, 4), (2, 2, 4), transpose_b=True),
        sample((2, 2, 3, 1), (2, 2, 1, 2)),
    ],
    differentiable_twice=True,
)
def batch_dot(
    xp: Any,
    lhs: Any,
    rhs: Any,
    /,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    forward_stype: Literal["csr", "default", "row_sparse"] | None = None,
    out: Any = None,
) -> Any:
    """Multiply matrices in the last two axes. The sizes of all other axes must be equal."""
    left = xp.swapaxes(lhs, -1, -2) if transpose_a else lhs
    right = xp.swapaxes(rhs, -1, -2) if transpose_b else rhs
    return xp.matmul(left, right, out=out)


def _infer_khatri_rao(*args: TensorType) -> TensorType:
    rows: DimLike = 1
    columns: DimLike = Dim.fresh()
    for t in args:
        if t.shape is None:
            return TensorType((Dim.fresh(), Dim.fresh()), one_dtype(*args, argument="args"))
        if len(t.shape) != 2:
            raise InferError("args", f"expected matrices, got {len(t.shape)} dimensions")
        rows = rows * t.shape[0]
        columns = t.shape[1]
        require_equal(args[0].shape[1] if args[0].shape else columns, columns, "args", "number of columns")
    return TensorType((rows, columns), one_dtype(*args, argument="args"))


@op(infer=_infer_khatri_rao, samples=[sample((2, 2), (3, 2)), sample((2, 3), (1, 3), (2, 3))])
def khatri_rao(xp: Any, /, *args: Any) -> Any:
    """Return the Khatri-Rao product: the Kronecker product of corresponding columns of matrices."""
    result = args[0]
    for factor in args[1:]:
        result = (result[:, None, :] * factor[None, :, :]).reshape(-1, factor.shape[1])
    return result
