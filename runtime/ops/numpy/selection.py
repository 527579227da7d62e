"""Operators of numpy mode that choose between arrays and numbers."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import broadcast_shapes
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import InferError, TensorType


@op(
    infer=lambda condition, x, y, /: _infer_where(condition, x, y),
    grad=lambda F, g, ins, outs: (
        None,
        F._hl_sum_to(F._npi_where_rscalar(ins[0], g, scalar=0.0), ins[1]),
        F._hl_sum_to(F._npi_where_lscalar(ins[0], g, scalar=0.0), ins[2]),
    ),
    samples=[sample((2, 3), (2, 3), (2, 3), dtypes=("bool",)), sample((2, 1), (3,), (2, 3), dtypes=("int32",))],
    facts=Facts(numpy_names=("where",)),
)
def _npi_where(xp: Any, condition: Any, x: Any, y: Any, /) -> Any:
    """Elements of x where the condition is not 0, else of y, with broadcasting."""
    return xp.where(condition != 0, x, y)


def _infer_where(condition: TensorType, x: TensorType, y: TensorType) -> TensorType:
    if x.dtype is not None and y.dtype is not None and x.dtype != y.dtype:
        raise InferError("y", f"expected dtype {x.dtype}, got {y.dtype}")
    return TensorType(broadcast_shapes(condition.shape, broadcast_shapes(x.shape, y.shape)), x.dtype or y.dtype)


def _infer_choice(condition: TensorType, x: TensorType, /) -> TensorType:
    return x.with_shape(broadcast_shapes(condition.shape, x.shape))


@op(
    infer=_infer_choice,
    # In MXNet 1.9 the gradient comes from where the number was chosen, not from where the array was.
    grad=lambda F, g, ins, outs: (None, F._hl_sum_to(F._npi_where_lscalar(ins[0], g, scalar=0.0), ins[1])),
    samples=[sample((2, 3), (2, 3), scalar=1.5, dtypes=("bool",))],
)
def _npi_where_rscalar(xp: Any, condition: Any, x: Any, /, *, scalar: float = 0.0) -> Any:
    """Elements of the array where the condition is not 0, else a number."""
    return xp.where(condition != 0, x, xp.asarray(scalar).astype(x.dtype))


@op(
    infer=_infer_choice,
    # As above: the gradient comes from where the number was chosen.
    grad=lambda F, g, ins, outs: (None, F._hl_sum_to(F._npi_where_rscalar(ins[0], g, scalar=0.0), ins[1])),
    samples=[sample((2, 3), (2, 3), scalar=1.5, dtypes=("bool",))],
)
def _npi_where_lscalar(xp: Any, condition: Any, y: Any, /, *, scalar: float = 0.0) -> Any:
    """Return a number where the condition is not 0, else elements of the array."""
    return xp.where(condition != 0, xp.asarray(scalar).astype(y.dtype), y)


@op(
    infer=lambda condition, /: condition.with_dtype("float32"),
    grad=zero_gradient,
    samples=[sample((2, 3), x=1.5, y=-1.0, dtypes=("bool",))],
)
def _npi_where_scalar2(xp: Any, condition: Any, /, *, x: float = 0.0, y: float = 0.0) -> Any:
    """One number where the condition is not 0, else another."""
    return xp.where(condition != 0, x, y).astype("float32")
