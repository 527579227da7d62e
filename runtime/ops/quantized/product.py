"""Integers of two ranges multiplied."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.infer import unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, zero_gradient
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.quantized.scales import (
    BEYOND,
    LARGEST,
    complete_pair,
    ends,
    extent,
    quantized_sample,
    ranged,
    single,
)


def _infer(lhs: TensorType, rhs: TensorType, *ranges: TensorType, **params: Any) -> tuple[TensorType, ...]:
    for name, given in (("lhs", lhs), ("rhs", rhs)):
        if given.dtype not in {None, "int8"}:
            raise InferError(name, f"expected int8, got {given.dtype}")
    shape = unify_shapes(lhs.shape, rhs.shape, "rhs")
    if params["enable_float_output"]:
        return (TensorType(shape, "float32"),)
    calibrated = params["min_calib_range"] is not None and params["max_calib_range"] is not None
    return ranged(shape, "int8" if calibrated else "int32")


_TWO = ("int8", "int8")


@op(
    infer=_infer,
    complete=complete_pair,
    grad=zero_gradient,
    outputs=lambda *, enable_float_output: 1 if enable_float_output else 3,
    visible=lambda *, enable_float_output: 1 if enable_float_output else 3,
    facts=Facts(output_names=("output", "min_output", "max_output")),
    samples=[
        quantized_sample((2, 3), (2, 3), dtypes=_TWO, ranges=4),
        quantized_sample((2, 3), (2, 3), dtypes=_TWO, ranges=4, min_calib_range=-90.0, max_calib_range=80.0),
        quantized_sample((2, 3), (2, 3), dtypes=_TWO, ranges=4, enable_float_output=True),
    ],
)
def _contrib_quantized_elemwise_mul(
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
    enable_float_output: bool = False,
) -> Any:
    """Multiply integers of two ranges, into 32 bits, into 8 bits in a given range, or into floats.

    If the range is too narrow, integers of 8 bits wrap around, as in MXNet.
    """
    product = lhs.astype("int32") * rhs.astype("int32")
    left, right = float(extent(xp, lhs_min, lhs_max)), float(extent(xp, rhs_min, rhs_max))
    step = (left / BEYOND["int8"]) * (right / BEYOND["int8"])
    if enable_float_output:
        return (product * step).astype("float32")
    if min_calib_range is None or max_calib_range is None:
        magnitude = (left / LARGEST["int8"]) * (right / LARGEST["int8"]) * LARGEST["int32"]
        return product, *ends(xp, magnitude)
    magnitude = max(abs(min_calib_range), abs(max_calib_range))
    found = (product * (step * BEYOND["int8"] / magnitude)).astype("int64").astype("int8")
    return found, single(xp, min_calib_range), single(xp, max_calib_range)
