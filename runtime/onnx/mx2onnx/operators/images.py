"""Operators on images (..., height, width, C), and on regions of feature maps."""

from __future__ import annotations

import numpy as np

from hybridlint.runtime.onnx.dtypes import is_float
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates


@translates("_image_to_tensor")
def _to_tensor(call: OnnxCall) -> str:
    scaled = call.emit("Div", call.cast(call.data, "float32", call.ins[0].dtype), call.array(255))
    rank = call.rank
    return call.transposed(scaled, [*range(rank - 3), rank - 1, rank - 3, rank - 2])


@translates("_image_normalize")
def _normalize(call: OnnxCall) -> str:
    if not is_float(call.dtype):
        call.refuse(f"images of {call.dtype} are not supported: apply to_tensor before")
    mean, deviation = (call.array(np.reshape(call.params[name], (-1, 1, 1))) for name in ("mean", "std"))
    return call.emit("Div", call.emit("Sub", call.data, mean), deviation)


@translates("_image_flip_left_right")
def _flip_left_right(call: OnnxCall) -> str:
    return call.sliced(call.data, call.rank - 2, -1, -(2**62), -1)


@translates("_image_flip_top_bottom")
def _flip_top_bottom(call: OnnxCall) -> str:
    return call.sliced(call.data, call.rank - 3, -1, -(2**62), -1)


@translates("_contrib_ROIAlign")
def _roi_align(call: OnnxCall) -> str:
    """Return the `RoiAlign` of boxes whose first number is the index of their image."""
    if call.params["position_sensitive"] or call.params["aligned"]:
        call.refuse("position_sensitive and aligned have no counterpart in this version of ONNX")
    image = call.cast(call.sliced(call.input(1), 1, 0, 1), "int64", call.ins[1].dtype)
    height, width = call.params["pooled_size"]
    return call.emit(
        "RoiAlign",
        call.data,
        call.sliced(call.input(1), 1, 1, 5),
        call.reshaped(image, call.shape_of(1)[:1]),
        output_height=height,
        output_width=width,
        spatial_scale=call.params["spatial_scale"],
        sampling_ratio=max(call.params["sample_ratio"], 0),
        mode="avg",
    )
