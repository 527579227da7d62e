"""Operators of detectors: functions that the new module gets beside its classes."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import literal


def _call(call: OperatorCall, function: str, *names: str, inputs: int | None = None) -> str:
    """Return a call of a function with the inputs, and with the parameters that are not as usual, by name."""
    count = len(call.inputs) if inputs is None else inputs
    texts = [call.arg(k) for k in range(count) if call.has_input(k)]
    return f"{function}({', '.join([*texts, *(f'{name}={_text(call, name)}' for name in names if call.given(name))])})"


def _text(call: OperatorCall, name: str) -> str:
    return literal(call.params[name].value) if call.params[name].known else call.text(name)


@translates("_contrib_box_nms")
def _box_nms(call: OperatorCall) -> str:
    return _call(
        call,
        "box_nms",
        *("overlap_thresh", "valid_thresh", "topk", "coord_start", "score_index", "id_index", "background_id"),
        *("force_suppress", "in_format", "out_format"),
    )


@translates("_contrib_box_iou")
def _box_iou(call: OperatorCall) -> str:
    if call.value("format") == "center":
        return f"box_iou(box_corners({call.arg(0)}), box_corners({call.arg(1)}))"
    return f"box_iou({call.arg(0)}, {call.arg(1)})"


@translates("_contrib_box_decode")
def _box_decode(call: OperatorCall) -> str:
    parts = [call.arg(0), call.arg(1)]
    stds = [call.text(f"std{k}") for k in range(4)]
    if any(call.given(f"std{k}") for k in range(4)):
        parts.append(f"stds=({', '.join(stds)})")
    if call.given("clip"):
        parts.append(f"clip={call.text('clip')}")
    if call.given("format"):
        parts.append(f"form={call.text('format')}")
    return f"box_decode({', '.join(parts)})"


@translates("_contrib_box_encode")
def _box_encode(call: OperatorCall) -> str:
    return _call(call, "box_encode")


@translates("_contrib_MultiBoxPrior")
def _multibox_prior(call: OperatorCall) -> str:
    return _call(call, "multibox_prior", "sizes", "ratios", "clip", "steps", "offsets")


@translates("_contrib_MultiBoxTarget")
def _multibox_target(call: OperatorCall) -> str:
    return _call(
        call,
        "multibox_target",
        *("overlap_threshold", "ignore_label", "negative_mining_ratio", "negative_mining_thresh"),
        *("minimum_negative_samples", "variances"),
    )


@translates("_contrib_MultiBoxDetection")
def _multibox_detection(call: OperatorCall) -> str:
    call.only_default("background_id")
    names = ("clip", "threshold", "nms_threshold", "force_suppress", "variances", "nms_topk")
    return _call(call, "multibox_detection", *names)


@translates("_contrib_ROIAlign")
def _roi_align(call: OperatorCall) -> str:
    sizes = f"{call.arg(0)}, {call.arg(1)}, {call.text('pooled_size')}, {call.text('spatial_scale')}"
    more = [
        f"{name}={call.text(name)}" for name in ("sample_ratio", "position_sensitive", "aligned") if call.given(name)
    ]
    return f"roi_align({', '.join([sizes, *more])})"


@translates("ROIPooling")
def _roi_pooling(call: OperatorCall) -> str:
    return f"roi_pooling({call.arg(0)}, {call.arg(1)}, {call.text('pooled_size')}, {call.text('spatial_scale')})"


@translates("_contrib_DeformableConvolution")
def _deformable(call: OperatorCall) -> str:
    return _deformed(call, 2, [])


@translates("_contrib_ModulatedDeformableConvolution")
def _modulated(call: OperatorCall) -> str:
    return _deformed(call, 3, [f"mask={call.arg(2)}"])


def _deformed(call: OperatorCall, weight: int, more: list[str]) -> str:
    parts = [call.arg(0), call.arg(1), call.arg(weight)]
    if not call.flag("no_bias") and call.has_input(weight + 1):
        parts.append(call.arg(weight + 1))
    parts += more
    for name, torch_name in (("stride", "stride"), ("pad", "padding"), ("dilate", "dilation")):
        if call.given(name):
            parts.append(f"{torch_name}={call.text(name)}")
    for name, torch_name in (("num_group", "groups"), ("num_deformable_group", "parts")):
        if call.given(name):
            parts.append(f"{torch_name}={call.text(name)}")
    return f"deformable_convolution({', '.join(parts)})"
