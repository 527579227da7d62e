"""Convolution, pooling and resizing of (N, C, ...)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.operators.reductions import reduce_value
from hybridlint.runtime.onnx.mx2onnx.translation import translates


def _last(call: OnnxCall) -> bool:
    """Whether the channels are behind the spatial axes, which ONNX does not know."""
    return (call.params.get("layout") or "")[-1:] == "C"


def _first(call: OnnxCall, index: int) -> str:
    """Return an input with its channels before the spatial axes."""
    rank = len(call.shape_of(index))
    return call.transposed(call.input(index), [0, rank - 1, *range(1, rank - 1)]) if _last(call) else call.input(index)


def _restored(call: OnnxCall, value: str) -> str:
    return call.transposed(value, [0, *range(2, call.rank), 1]) if _last(call) else value


def _row(call: OnnxCall, name: str, default: int) -> list[int]:
    rank = len(call.params["kernel"])
    return list(call.params.get(name) or (default,) * rank)[:rank]


@translates("Convolution", "Convolution_v1")
def _convolution(call: OnnxCall) -> str:
    pad = _row(call, "pad", 0)
    result = call.emit(
        "Conv",
        _first(call, 0),
        _first(call, 1),
        None if call.params["no_bias"] else call.input(2),
        kernel_shape=_row(call, "kernel", 1),
        strides=_row(call, "stride", 1),
        dilations=_row(call, "dilate", 1),
        pads=[*pad, *pad],
        group=call.params["num_group"],
    )
    return _restored(call, result)


@translates("Deconvolution")
def _deconvolution(call: OnnxCall) -> str:
    pad = _row(call, "pad", 0)
    # Sizes that are asked for say how much of the whole result is cut off on both sides.
    wanted = call.params["target_shape"]
    placed = (
        {"output_shape": list(wanted)} if wanted else {"pads": [*pad, *pad], "output_padding": _row(call, "adj", 0)}
    )
    result = call.emit(
        "ConvTranspose",
        _first(call, 0),
        _first(call, 1),
        None if call.params["no_bias"] else call.input(2),
        kernel_shape=_row(call, "kernel", 1),
        strides=_row(call, "stride", 1),
        dilations=_row(call, "dilate", 1),
        group=call.params["num_group"],
        **placed,
    )
    return _restored(call, result)


@translates("Pooling", "Pooling_v1")
def _pooling(call: OnnxCall) -> str:
    data = _first(call, 0)
    if call.params["global_pool"]:
        return _restored(call, _pooled_whole(call, data))
    kind = call.params["pool_type"]
    kernel, stride, pad = _row(call, "kernel", 1), _row(call, "stride", 1), _row(call, "pad", 0)
    more = _more(call, kernel, stride, pad) if call.params["pooling_convention"] != "valid" else [0] * len(pad)
    shape = {
        "kernel_shape": kernel,
        "strides": stride,
        "pads": [*pad, *(p + m for p, m in zip(pad, more, strict=True))],
    }
    if kind == "max":
        return _restored(call, call.emit("MaxPool", data, **shape))
    if kind == "lp":
        return _restored(call, call.emit("LpPool", data, **shape, p=call.params["p_value"] or 2))
    counted = kind == "sum" or call.params.get("count_include_pad") is not False
    if any(more) and counted and kind == "avg":
        return _restored(call, _averaged(call, data, kernel, stride, pad, more))
    result = call.emit("AveragePool", data, **shape, count_include_pad=int(counted))
    if kind == "sum":
        result = call.emit("Mul", result, call.array(math.prod(kernel)))
    return _restored(call, result)


def _pooled_whole(call: OnnxCall, data: str) -> str:
    kind, axes = call.params["pool_type"], tuple(range(2, call.rank))
    if kind == "max":
        return call.emit("GlobalMaxPool", data)
    if kind == "avg":
        return call.emit("GlobalAveragePool", data)
    if kind == "sum":
        return reduce_value(call, "ReduceSum", data, axes)
    return call.emit("GlobalLpPool", data, p=call.params.get("p_value") or 2)


def _spatial(call: OnnxCall) -> Sequence[int]:
    return call.static(call.shape[1:-1] if _last(call) else call.shape[2:])


def _more(call: OnnxCall, kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int]) -> list[int]:
    """Return how far the last windows of the conventions 'full' and 'same' reach beyond the padding."""
    result = call.result_shape()
    counts = call.static(result[1:-1] if _last(call) else result[2:])
    rows = zip(_spatial(call), counts, kernel, stride, pad, strict=True)
    return [max(0, (count - 1) * s + k - size - 2 * p) for size, count, k, s, p in rows]


def _averaged(
    call: OnnxCall, data: str, kernel: Sequence[int], stride: Sequence[int], pad: Sequence[int], more: Sequence[int]
) -> str:
    """Average windows, counting their padding but not the elements of the last windows beyond the padding."""
    ends = [p + m for p, m in zip(pad, more, strict=True)]
    widths = [0, 0, *pad, 0, 0, *ends]
    padded = call.emit("Pad", data, call.ints(*widths), call.array(0), mode="constant")
    total = call.emit("AveragePool", padded, kernel_shape=list(kernel), strides=list(stride))
    share = np.ones(())
    for size, k, s, p, m in zip(_spatial(call), kernel, stride, pad, more, strict=True):
        count = (size + 2 * p + m - k) // s + 1
        inside = [min(at * s + k, size + 2 * p) - at * s for at in range(count)]
        share = share[..., None] * (k / np.array(inside))
    return call.emit("Mul", total, call.array(share))


@translates("UpSampling")
def _upsampling(call: OnnxCall) -> str:
    scale = call.params["scale"]
    if call.params["sample_type"] == "bilinear":
        kernel, pad = 2 * scale - scale % 2, scale // 2
        (channels,) = call.static(call.shape[1:2])
        shape = {"kernel_shape": [kernel] * 2, "strides": [scale] * 2, "pads": [pad] * 4}
        spare = scale - kernel + 2 * pad
        return call.emit("ConvTranspose", call.data, call.input(1), group=channels, output_padding=[spare] * 2, **shape)
    height = call.result_shape()[2]
    if len(call.inputs) > 1:
        call.static((height, *(call.shape_of(k)[2] for k in range(len(call.inputs)))))
    parts = [_enlarged(call, k, scale, height) for k in range(len(call.inputs))]
    if len(parts) == 1:
        return parts[0]
    if call.params["multi_input_mode"] == "concat":
        return call.emit("Concat", *parts, axis=1)
    return call.emit("Sum", *parts)


def _enlarged(call: OnnxCall, index: int, scale: int, height: object) -> str:
    """Return an input with each pixel repeated, so that all of them get the height of the result."""
    own = call.shape_of(index)[2]
    factor = height // own if isinstance(height, int) and isinstance(own, int) else scale
    scales = call.array([1, 1, factor, factor], "float32")
    modes = {"mode": "nearest", "coordinate_transformation_mode": "asymmetric", "nearest_mode": "floor"}
    return call.emit("Resize", call.input(index), None, scales, **modes)


@translates("_contrib_BilinearResize2D")
def _bilinear_resize(call: OnnxCall) -> str:
    modes = {"mode": "linear", "coordinate_transformation_mode": "half_pixel"}
    if call.params["align_corners"]:
        modes["coordinate_transformation_mode"] = "align_corners"
    return call.emit("Resize", call.data, None, None, call.sizes(call.result_shape()), **modes)


@translates("_contrib_AdaptiveAvgPooling2D")
def _adaptive_pooling(call: OnnxCall) -> str:
    """`AveragePool` where the windows have one size, else a product with one matrix for each axis."""
    sizes, targets = call.static(call.shape[2:]), call.static(call.result_shape()[2:])
    if targets == (1, 1):
        return call.emit("GlobalAveragePool", call.data)
    if all(n % t == 0 for n, t in zip(sizes, targets, strict=True)):
        kernel = [n // t for n, t in zip(sizes, targets, strict=True)]
        return call.emit("AveragePool", call.data, kernel_shape=kernel, strides=kernel)
    rows, columns = (_shares(n, t) for n, t in zip(sizes, targets, strict=True))
    return call.emit("MatMul", call.array(rows), call.emit("MatMul", call.data, call.array(columns.T)))


def _shares(size: int, target: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return the matrix (target, size) of what each element contributes to the mean of each window."""
    result = np.zeros((target, size))
    for at in range(target):
        first, last = at * size // target, -(-(at + 1) * size // target)
        result[at, first:last] = 1 / (last - first)
    return result
