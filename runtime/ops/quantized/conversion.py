"""Conversion of numbers into integers of a range, back, and from wide integers to narrow ones."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.registry import op, sample, zero_gradient
from hybridlint.runtime.facts.types import InferError, TensorType
from hybridlint.runtime.ops.quantized.scales import BEYOND, END, LARGEST, ends, extent, ranged, rounded, single

_FLOATS = (None, "float32")


def _infer_quantize(data: TensorType, low: TensorType, high: TensorType, /, *, out_type: str) -> tuple[TensorType, ...]:
    if data.dtype not in _FLOATS:
        raise InferError("data", f"expected float32, got {data.dtype}")
    return ranged(data.shape, out_type)


@op(
    infer=_infer_quantize,
    complete=lambda data, low, high, /: (data.with_dtype(data.dtype or "float32"), END, END),
    grad=zero_gradient,
    outputs=3,
    samples=[sample((2, 3), (1,), (1,), low=0.5), sample((2, 3), (1,), (1,), low=0.5, out_type="int8")],
)
def _contrib_quantize(
    xp: Any, data: Any, min_range: Any, max_range: Any, /, *, out_type: Literal["int8", "uint8"] = "uint8"
) -> tuple[Any, ...]:
    """Return integers for numbers of a range, and the ends of the range that the integers represent."""
    magnitude = extent(xp, min_range, max_range)
    found = rounded(xp, data * (LARGEST[out_type] / magnitude), out_type)
    if out_type == "int8":
        return found, *ends(xp, magnitude)
    return found, single(xp, min_range), single(xp, max_range)


def _kind(out_type: str, least: float | None) -> str:
    """Return the dtype of the result: for "auto" that of numbers which are known to be positive, or of any."""
    return out_type if out_type != "auto" else "uint8" if least is not None and least >= 0 else "int8"


@op(
    infer=lambda data, /, *, out_type, min_calib_range: ranged(data.shape, _kind(out_type, min_calib_range)),
    grad=zero_gradient,
    outputs=3,
    samples=[
        sample((2, 3)),
        sample((2, 3), low=0.1, out_type="uint8"),
        sample((4,), out_type="auto", min_calib_range=-1.0, max_calib_range=1.5),
        sample((4,), out_type="auto", min_calib_range=0.0, max_calib_range=1.5),
    ],
)
def _contrib_quantize_v2(
    xp: Any,
    data: Any,
    /,
    *,
    out_type: Literal["auto", "int8", "uint8"] = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> tuple[Any, ...]:
    """Return integers for numbers, by their own range or a given range, and the ends of the range."""
    kind = _kind(out_type, min_calib_range)
    if min_calib_range is None or max_calib_range is None:
        low, high = data.min(), data.max()
    else:
        low, high = xp.float32(min_calib_range), xp.float32(max_calib_range)
    if data.dtype.kind in "iu":
        return data.astype(kind, copy=True), single(xp, low), single(xp, high)
    magnitude = extent(xp, low, high)
    found = rounded(xp, data * (BEYOND[kind] / magnitude), kind)
    return (found, *ends(xp, magnitude)) if kind == "int8" else (found, single(xp, low), single(xp, high))


def _infer_numbers(data: TensorType, low: TensorType, high: TensorType, /) -> TensorType:
    if data.dtype not in {None, "int8", "uint8"}:
        raise InferError("data", f"expected int8 or uint8, got {data.dtype}")
    return TensorType(data.shape, "float32")


@op(
    infer=_infer_numbers,
    complete=lambda data, low, high, /: (data, END, END),
    grad=zero_gradient,
    samples=[
        sample((2, 3), (1,), (1,), low=1, high=100, dtypes=("int8", "float32", "float32")),
        sample((2, 3), (1,), (1,), low=1, high=100, dtypes=("uint8", "float32", "float32")),
    ],
)
def _contrib_dequantize(
    xp: Any, data: Any, min_range: Any, max_range: Any, /, *, out_type: Literal["float32"] = "float32"
) -> Any:
    """Return the numbers that the integers of a range represent."""
    return data.astype("float32") * (extent(xp, min_range, max_range) / xp.float32(BEYOND[data.dtype.name]))


@op(
    infer=lambda data, low, high, /, *, out_type, min_calib_range: ranged(data.shape, _kind(out_type, min_calib_range)),
    complete=lambda data, low, high, /: (data.with_dtype(data.dtype or "int32"), END, END),
    grad=zero_gradient,
    outputs=3,
    samples=[
        sample((2, 3), (1,), (1,), low=1, high=10**6, dtypes=("int32", "float32", "float32")),
        sample(
            (2, 3),
            (1,),
            (1,),
            low=1,
            high=10**6,
            dtypes=("int32", "float32", "float32"),
            min_calib_range=-100.0,
            max_calib_range=300.0,
        ),
    ],
)
def _contrib_requantize(
    xp: Any,
    data: Any,
    min_range: Any,
    max_range: Any,
    /,
    *,
    out_type: Literal["auto", "int8", "uint8"] = "int8",
    min_calib_range: float | None = None,
    max_calib_range: float | None = None,
) -> tuple[Any, ...]:
    """Return integers of 8 bits for integers of 32 bits, by the range of the data or a given range."""
    kind = _kind(out_type, min_calib_range)
    numbers = data.astype("float64") * (float(extent(xp, min_range, max_range)) / LARGEST["int32"])
    if min_calib_range is None or max_calib_range is None:
        magnitude = xp.abs(numbers).max()
    else:
        magnitude = extent(xp, xp.float32(min_calib_range), xp.float32(max_calib_range))
    return rounded(xp, numbers * (LARGEST[kind] / magnitude), kind), *ends(xp, magnitude)
