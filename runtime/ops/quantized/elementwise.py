"""Integers of a range rectified, reshaped, joined, added and normalized."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.dims import Dim, DimLike, product
from hybridlint.runtime.facts.infer import normal_axis, unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, zero_gradient
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.quantized.scales import (
    BEYOND,
    END,
    LARGEST,
    complete_pair,
    ends,
    extent,
    quantized_sample,
    ranged,
    rounded,
    single,
)
from hybridlint.runtime.ops.type_rules import refined

_NAMES = Facts(output_names=("output", "min_output", "max_output"))


def _complete_data(data: TensorType, low: TensorType, high: TensorType, /) -> tuple[TensorType, ...]:
    return data, END, END


@op(
    infer=lambda data, low, high, /: ranged(data.shape, data.dtype or "int8"),
    complete=_complete_data,
    grad=zero_gradient,
    outputs=3,
    facts=_NAMES,
    samples=[quantized_sample((2, 3), dtypes=("int8",), ranges=2, act_type="relu")],
)
def _contrib_quantized_act(
    xp: Any, data: Any, min_data: Any, max_data: Any, /, *, act_type: Literal["relu"]
) -> tuple[Any, ...]:
    """Return the positive ones of integers, and 0 for the others."""
    return xp.maximum(data, 0).astype(data.dtype), single(xp, min_data), single(xp, max_data)


def _infer_flat(data: TensorType, low: TensorType, high: TensorType, /) -> tuple[TensorType, ...]:
    if data.shape is None:
        return ranged((Dim.fresh(), Dim.fresh()), data.dtype or "int8")
    return ranged((data.shape[0], product(data.shape[1:])), data.dtype or "int8")


@op(
    infer=_infer_flat,
    complete=_complete_data,
    grad=zero_gradient,
    outputs=3,
    facts=_NAMES,
    samples=[quantized_sample((2, 3, 2), dtypes=("int8",), ranges=2)],
)
def _contrib_quantized_flatten(xp: Any, data: Any, min_data: Any, max_data: Any, /) -> tuple[Any, ...]:
    """Merge all dimensions but the first."""
    return data.reshape(data.shape[0], -1).copy(), single(xp, min_data), single(xp, max_data)


def _infer_joined(*inputs: TensorType, dim: int) -> tuple[TensorType, ...]:
    count = len(inputs) // 3
    shapes = [t.shape for t in inputs[:count]]
    if any(t.dtype not in {None, "int8"} for t in inputs[:count]):
        raise InferError("data", "expected int8")
    known = [shape for shape in shapes if shape is not None]
    if len(known) < count or not known:
        return ranged(None, "int8")
    axis = normal_axis(dim, len(known[0]), "dim")
    total: DimLike = 0
    rest = None
    for shape in known:
        if len(shape) != len(known[0]):
            raise InferError("data", f"expected {len(known[0])} dimensions, got {len(shape)}")
        total = total + shape[axis]
        rest = unify_shapes(rest, (*shape[:axis], 1, *shape[axis + 1 :]), "data")
    assert rest is not None
    return ranged((*rest[:axis], total, *rest[axis + 1 :]), "int8")


@op(
    infer=_infer_joined,
    grad=zero_gradient,
    outputs=3,
    facts=Facts(output_names=_NAMES.output_names, inputs_per_argument=3),
    samples=[quantized_sample((2, 3), (2, 2), dtypes=("int8", "int8"), ranges=4, dim=1)],
)
def _contrib_quantized_concat(xp: Any, /, *data: Any, dim: int = 1) -> tuple[Any, ...]:
    """Join arrays of integers, which the ends of their ranges follow, array by array, in the widest of the ranges."""
    count = len(data) // 3
    pairs = [data[count + 2 * k : count + 2 * k + 2] for k in range(count)]
    low = min(0.0, *(float(pair[0].min()) for pair in pairs))
    high = max(0.0, *(float(pair[1].max()) for pair in pairs))
    widest = max(abs(low), abs(high))
    parts = []
    for array, pair in zip(data[:count], pairs, strict=True):
        own = float(extent(xp, *pair))
        parts.append(
            array if own == widest else rounded(xp, array.astype("float32") * xp.float32(own / widest), "int8")
        )
    return xp.concatenate(parts, axis=dim), single(xp, low), single(xp, high)


def _infer_sum(lhs: TensorType, rhs: TensorType, *ranges: TensorType, **params: Any) -> tuple[TensorType, ...]:
    calibrated = params["min_calib_range"] is not None and params["max_calib_range"] is not None
    return ranged(unify_shapes(lhs.shape, rhs.shape, "rhs"), "int8" if calibrated else "int32")


_ADDED = ("int8", "int8")


@op(
    infer=_infer_sum,
    complete=complete_pair,
    grad=zero_gradient,
    outputs=3,
    facts=_NAMES,
    samples=[
        quantized_sample((2, 3), (2, 3), dtypes=_ADDED, ranges=4),
        quantized_sample((2, 3), (2, 3), dtypes=_ADDED, ranges=4, min_calib_range=-20.0, max_calib_range=10.0),
    ],
)
def _contrib_quantized_elemwise_add(
    xp: Any,
    lhs: Any,
    rhs: Any,
    lhs_min: Any,
    lhs_max: Any,
    rhs_min: Any,
    rhs_max: Any,
    /,
    *,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> tuple[Any, ...]:
    """Add integers of two ranges: in 32 bits with the summed range, or in 8 bits with a given range."""
    left, right = float(extent(xp, lhs_min, lhs_max)), float(extent(xp, rhs_min, rhs_max))
    numbers = lhs.astype("float64") * (left / BEYOND[lhs.dtype.name])
    numbers = numbers + rhs.astype("float64") * (right / BEYOND[rhs.dtype.name])
    if min_calib_range is None or max_calib_range is None:
        magnitude = left + right
        found = xp.rint(numbers / magnitude * LARGEST["int32"]).astype("int64").astype("int32")
        return found, *ends(xp, magnitude)
    magnitude = max(abs(min_calib_range), abs(max_calib_range))
    found = rounded(xp, numbers * (BEYOND["int8"] / magnitude), "int8")
    return found, single(xp, min_calib_range), single(xp, max_calib_range)


def _complete_normalized(*ins: TensorType) -> tuple[TensorType, ...]:
    channels: DimLike = Dim.fresh() if ins[0].shape is None or len(ins[0].shape) < 2 else ins[0].shape[1]
    names = ("gamma", "beta", "moving_mean", "moving_var")
    held = (refined(given, (channels,), "float32", name) for name, given in zip(names, ins[1:5], strict=True))
    return (ins[0], *held, END, END)


def _infer_normalized(*ins: TensorType) -> tuple[TensorType, ...]:
    _complete_normalized(*ins)
    return ranged(ins[0].shape, "int8")


@op(
    infer=_infer_normalized,
    complete=_complete_normalized,
    grad=zero_gradient,
    outputs=3,
    facts=_NAMES,
    samples=[
        quantized_sample(
            (1, 2, 2, 2),
            (2,),
            (2,),
            (2,),
            (2,),
            dtypes=("int8", *("float32",) * 4),
            ranges=2,
            min_calib_range=-9.0,
            max_calib_range=20.0,
        )
    ],
)
def _contrib_quantized_batch_norm(
    xp: Any,
    data: Any,
    gamma: Any,
    beta: Any,
    moving_mean: Any,
    moving_var: Any,
    min_data: Any,
    max_data: Any,
    /,
    *,
    eps: float = 1e-3,
    momentum: float = 0.9,
    fix_gamma: bool = True,
    use_global_stats: bool = False,
    output_mean_var: bool = False,
    axis: int = 1,
    cudnn_off: bool = False,
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> tuple[Any, ...]:
    """Normalize each channel by running statistics, into a range that is given; gamma counts even where it is fixed."""
    if min_calib_range is None or max_calib_range is None:
        raise ValueError("a quantized BatchNorm needs min_calib_range and max_calib_range")

    def by_channel(values: Any) -> Any:
        return values.reshape(1, -1, *(1,) * (data.ndim - 2)).astype("float64")

    numbers = data.astype("float64") * (float(extent(xp, min_data, max_data)) / BEYOND[data.dtype.name])
    scale = by_channel(gamma) / xp.sqrt(by_channel(moving_var) + eps)
    found = (numbers - by_channel(moving_mean)) * scale + by_channel(beta)
    magnitude = max(abs(min_calib_range), abs(max_calib_range))
    return (
        rounded(xp, found * (BEYOND["int8"] / magnitude), "int8"),
        single(xp, min_calib_range),
        single(xp, max_calib_range),
    )
