"""Operators that pass elements on: copies, casts, clipping, selection, sums, and markers of losses."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.backward import reversed_by, same
from hybridlint.runtime.facts.deferred_shapes import waits, when_known
from hybridlint.runtime.facts.infer import complete_same_shape, same_shape, unify_dtypes, unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.storage import DENSE, POINTWISE, STORED, Fallback, Storage
from hybridlint.runtime.facts.types import DTYPE_FLAGS, Dtype, InferError, TensorType, show_shape
from hybridlint.runtime.ops.choosing import select
from hybridlint.runtime.ops.elementwise.families import check_dtypes, numeric, store
from hybridlint.runtime.ops.storage.pairs import SUM_OF_ALL
from hybridlint.runtime.ops.storage.structure import LIKE


@reversed_by(same)
def same_type(data: TensorType, /) -> TensorType:
    """Return the input's type."""
    return data


def _pass_on(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (g,)


def _identity(xp: Any, data: Any, out: Any) -> Any:
    return data.copy() if out is None else store(xp, data, out)


_ANY_SAMPLES = [sample((2, 3)), sample((4,), dtypes=("int32",))]


@op(
    name="_copy",
    infer=same_type,
    grad=_pass_on,
    samples=_ANY_SAMPLES,
    facts=Facts(numpy_names=("copy",)),
    aliases=("identity",),
    storage=STORED,
    differentiable_twice=True,
)
def copy(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Return the array's elements."""
    return _identity(xp, data, out)


@op(
    infer=same_shape,
    complete=complete_same_shape,
    grad=lambda F, g, ins, outs: (g, None),
    samples=[sample((2, 3), (2, 3))],
    storage=LIKE,
)
def _identity_with_attr_like_rhs(xp: Any, lhs: Any, rhs: Any, /, *, out: Any = None) -> Any:
    """Return the left array, which must have the shape of the right one."""
    return _identity(xp, lhs, out)


@op(
    name="BlockGrad",
    infer=same_type,
    grad=zero_gradient,
    samples=_ANY_SAMPLES,
    aliases=("stop_gradient", "_sparse_stop_gradient"),
    storage=STORED,
)
def stop_gradient(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Return the array unchanged; no gradient passes through."""
    return _identity(xp, data, out)


@op(
    infer=same_type,
    grad=lambda F, g, ins, outs: (F.ones_like(ins[0]),),
    samples=_ANY_SAMPLES,
    facts=Facts(output_names=("loss",)),
    aliases=("_sparse_make_loss",),
    differentiable_twice=True,
    storage=STORED,
)
def make_loss(xp: Any, data: Any, /, *, out: Any = None) -> Any:
    """Mark the array as a loss: its gradient is 1, whatever the gradient of the output."""
    return _identity(xp, data, out)


def _loss_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], **params: Any) -> tuple[Any, ...]:
    return (F._hl_loss_gradient(ins[0], **params),)


def _infer_loss(data: TensorType, /, *, normalization: str) -> TensorType:
    if normalization not in {"null", "batch", "valid"}:
        raise InferError("normalization", f"{normalization!r} is none of 'null', 'batch', 'valid'")
    return data


_LOSS_SAMPLES = [
    sample((2, 3)),
    sample((2, 3), grad_scale=2.0, normalization="batch"),
    sample((2, 3), normalization="valid"),
]


@op(infer=_infer_loss, grad=_loss_grad, samples=_LOSS_SAMPLES)
def MakeLoss(
    xp: Any,
    data: Any,
    /,
    *,
    grad_scale: float = 1.0,
    valid_thresh: float = 0.0,
    normalization: Literal["batch", "null", "valid"] = "null",
    out: Any = None,
) -> Any:
    """Mark the array as a loss: its gradient is `grad_scale`, whatever the gradient of the output.

    `normalization` divides it by the batch size ("batch") or by the number of elements above `valid_thresh` ("valid").
    """
    return _identity(xp, data, out)


@op(infer=_infer_loss, grad=zero_gradient, samples=_LOSS_SAMPLES)
def _hl_loss_gradient(
    xp: Any, data: Any, /, *, grad_scale: float = 1.0, valid_thresh: float = 0.0, normalization: str = "null"
) -> Any:
    """Return the gradient of MakeLoss."""
    scale = grad_scale
    if normalization == "batch":
        scale = grad_scale / data.shape[0]
    elif normalization == "valid":
        scale = grad_scale / max(int((data > valid_thresh).sum()), 1)
    return xp.full(data.shape, scale, dtype=data.dtype)


@reversed_by(same)
def _infer_cast(data: TensorType, /, *, dtype: Dtype) -> TensorType:
    if dtype not in DTYPE_FLAGS:
        raise InferError("dtype", f"{dtype} is not a dtype")
    return data.with_dtype(dtype)


_CAST_SAMPLES = [
    sample((2, 3), dtype="float16"),
    sample((2, 3), low=-3, high=3, dtype="int32"),
    sample((4,), dtypes=("int32",), dtype="float32"),
    sample((2, 3), dtype="float32"),
]


def _cast_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (F._hl_cast_like(g, ins[0]),)


@op(name="Cast", infer=_infer_cast, grad=_cast_grad, samples=_CAST_SAMPLES, aliases=("cast",))
def cast(xp: Any, data: Any, /, *, dtype: Dtype) -> Any:
    """Return the elements in another dtype; integer dtypes truncate."""
    return data.astype(dtype, copy=False)


@op(infer=_infer_cast, grad=_cast_grad, samples=_CAST_SAMPLES[:1])
def amp_cast(xp: Any, data: Any, /, *, dtype: Dtype) -> Any:
    """Return the elements in another floating-point dtype."""
    return data.astype(dtype, copy=False)


@op(
    infer=lambda data, like, /: data.with_dtype(like.dtype),
    grad=lambda F, g, ins, outs: (F._hl_cast_like(g, ins[0]), None),
    samples=[sample((2, 3), (4,), dtypes=("float32", "float64"))],
)
def _hl_cast_like(xp: Any, data: Any, like: Any, /) -> Any:
    """Return the elements of `data` in the dtype of `like`."""
    return data.astype(like.dtype, copy=False)


@op(
    infer=numeric,
    grad=lambda F, g, ins, outs, *, a_min, a_max: (g * (ins[0] >= a_min) * (ins[0] <= a_max),),
    samples=[
        sample((2, 3), a_min=-0.5, a_max=1.0),
        sample((5,), low=-4, high=4, dtypes=("int32",), a_min=0.5, a_max=2.7),
    ],
    facts=Facts(numpy_names=("clip",), distinct=True),
    aliases=("_sparse_clip",),
    storage=POINTWISE,
    method="clip",
    differentiable_twice=True,
)
def clip(xp: Any, data: Any, /, *, a_min: float, a_max: float, out: Any = None) -> Any:
    """Return the elements clipped to [a_min, a_max]."""
    low, high = (a_min, a_max) if data.dtype.kind == "f" else _whole_bounds(data.dtype, a_min, a_max)
    bounded = xp.asarray(xp.maximum(data, low, out=out))
    return xp.minimum(bounded, high, out=bounded)


def _whole_bounds(dtype: Any, a_min: float, a_max: float) -> tuple[Any, Any]:
    """Return the bounds truncated to integers and clipped to the range of the integer dtype."""
    bits = 8 * dtype.itemsize - (dtype.kind == "i")
    least, most = (-(2**bits) if dtype.kind == "i" else 0), 2**bits - 1
    return dtype.type(min(max(int(a_min), least), most)), dtype.type(min(max(int(a_max), least), most))


@waits(when_known)
def _infer_where(condition: TensorType, x: TensorType, y: TensorType, /) -> TensorType:
    check_dtypes(x, y)
    shape = unify_shapes(x.shape, y.shape, "y")
    if condition.shape is not None and shape is not None:
        if len(condition.shape) == 1 != len(shape):
            unify_shapes(shape[:1], condition.shape, "condition")
        elif len(condition.shape) == len(shape):
            unify_shapes(shape, condition.shape, "condition")
        else:
            raise InferError(
                "condition",
                f"shape {show_shape(condition.shape)} is neither {show_shape(shape)} nor its first dimension",
            )
    return TensorType(shape, unify_dtypes(x, y))


def _complete_where(condition: TensorType, x: TensorType, y: TensorType, /) -> tuple[TensorType | None, ...]:
    result = _infer_where(condition, x, y)
    return None, result, result


def _where_grad(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    nothing = F.zeros_like(g)
    return None, F.where(ins[0], g, nothing), F.where(ins[0], nothing, g)


@op(
    infer=_infer_where,
    complete=_complete_where,
    grad=_where_grad,
    samples=[
        sample((2, 3), (2, 3), (2, 3), low=-1, high=1, dtypes=("int32",)),
        sample((2,), (2, 3), (2, 3), low=-1, high=1, dtypes=("int32",)),
        sample((4,), (4,), (4,)),
    ],
    facts=Facts(numpy_names=("where",)),
    aliases=("_sparse_where",),
    storage=Storage(lambda stypes, params: DENSE if stypes == ("csr", "default", "default") else Fallback()),
)
def where(xp: Any, condition: Any, x: Any, y: Any, /) -> Any:
    """Return elements of x where the condition is nonzero, else of y; a rank 1 condition selects rows."""
    rows = condition.reshape(condition.shape + (1,) * (x.ndim - 1)) if condition.ndim < x.ndim else condition
    return select(xp, rows != 0, x, y)


@op(
    infer=numeric,
    complete=lambda *args: (numeric(*args),) * len(args),
    grad=lambda F, g, ins, outs: (g,) * len(ins),
    samples=[sample((2, 3), (2, 3), (2, 3)), sample((2,), (2,)), sample((3,), dtypes=("int32",))],
    facts=Facts(of_all_rows=("sum", {"axis": 0})),
    aliases=("ElementWiseSum", "_sparse_ElementWiseSum", "_sparse_add_n"),
    storage=SUM_OF_ALL,
    differentiable_twice=True,
)
def add_n(xp: Any, /, *args: Any) -> Any:
    """Sum any number of arrays of one shape."""
    total = args[0]
    for array in args[1:]:
        total = xp.add(total, array)
    return total
