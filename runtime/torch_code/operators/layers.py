"""Operators of layers: convolutions, pooling, normalization, resizing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.torch_code.call import OperatorCall
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.table import translates
from hybridlint.runtime.torch_code.texts import literal, number, receiver


def sizes(value: Any) -> str:
    """Return sizes for each axis as PyTorch's users write them: one number where all are equal."""
    if isinstance(value, tuple | list) and value and len(set(value)) == 1:
        return str(value[0])
    return literal(tuple(value)) if isinstance(value, list) else literal(value)


def keyword(call: OperatorCall, name: str, torch_name: str, usual: int) -> str:
    """Return a keyword argument of sizes, "" for the usual value."""
    if name not in call.params or call.params[name].value in ((), None):
        return ""
    if not call.params[name].known:
        return f"{torch_name}={call.text(name)}"
    value = call.value(name)
    uniform = value if isinstance(value, tuple | list) else (value,)
    return "" if set(uniform) == {usual} else f"{torch_name}={sizes(value)}"


def _arguments(*texts: str) -> str:
    return ", ".join(filter(None, texts))


def kernel_axes(call: OperatorCall) -> int:
    """Return over how many axes a convolution or pooling goes."""
    kernel = call.params["kernel"].value if "kernel" in call.params else ()
    if isinstance(kernel, tuple | list) and kernel:
        return len(kernel)
    return call.needed_rank() - 2


def _channels_first(call: OperatorCall) -> None:
    layout = call.value("layout") if "layout" in call.operator.params else None
    if layout not in (None, "None", "NCW", "NCHW", "NCDHW"):
        raise NoTranslationError(f"the layout {layout!r}: PyTorch's layers take channels first")


@translates("Convolution", "Convolution_v1")
def _convolution(call: OperatorCall) -> str:
    _channels_first(call)
    bias = call.arg(2) if not call.flag("no_bias") and call.has_input(2) else ""
    groups = call.text("num_group")
    parts = _arguments(
        call.arg(0),
        call.arg(1),
        bias,
        keyword(call, "stride", "stride", 1),
        keyword(call, "pad", "padding", 0),
        keyword(call, "dilate", "dilation", 1),
        "" if groups == "1" else f"groups={groups}",
    )
    return f"F.conv{kernel_axes(call)}d({parts})"


@translates("Deconvolution")
def _deconvolution(call: OperatorCall) -> str:
    _channels_first(call)
    call.only_default("target_shape")
    bias = call.arg(2) if not call.flag("no_bias") and call.has_input(2) else ""
    groups = call.text("num_group")
    parts = _arguments(
        call.arg(0),
        call.arg(1),
        bias,
        keyword(call, "stride", "stride", 1),
        keyword(call, "pad", "padding", 0),
        keyword(call, "adj", "output_padding", 0),
        "" if groups == "1" else f"groups={groups}",
        keyword(call, "dilate", "dilation", 1),
    )
    return f"F.conv_transpose{kernel_axes(call)}d({parts})"


@translates("Pooling", "Pooling_v1")
def _pooling(call: OperatorCall) -> str:
    _channels_first(call)
    kind = call.value("pool_type")
    if call.flag("global_pool"):
        return _global_pool(call, kind)
    axes = kernel_axes(call)
    if kind not in ("max", "avg"):
        raise NoTranslationError(f"pooling of the kind {kind!r}")
    convention = call.value("pooling_convention")
    if convention not in ("valid", "full"):
        raise NoTranslationError(f"the pooling convention {convention!r}")
    parts = [
        call.arg(0),
        sizes(call.value("kernel")) if call.params["kernel"].known else call.text("kernel"),
        # Without strides, MXNet's operator moves by one.
        _stride(call),
        keyword(call, "pad", "padding", 0),
        "ceil_mode=True" if convention == "full" else "",
    ]
    if kind == "avg" and "count_include_pad" in call.params and call.value("count_include_pad") is False:
        parts.append("count_include_pad=False")
    return f"F.{kind}_pool{axes}d({_arguments(*parts)})"


def _stride(call: OperatorCall) -> str:
    if "stride" not in call.params or call.params["stride"].value in ((), None):
        return "stride=1"
    if call.params["stride"].known and call.params["kernel"].known:
        same = tuple(call.value("stride")) == tuple(call.value("kernel"))
        return "" if same else f"stride={sizes(call.value('stride'))}"
    return f"stride={call.text('stride')}"


def _global_pool(call: OperatorCall, kind: str) -> str:
    rank = call.needed_rank()
    dims = ", ".join(map(str, range(2, rank)))
    dims = f"({dims})" if rank > 3 else dims
    if kind == "avg":
        return f"F.adaptive_avg_pool{rank - 2}d({call.arg(0)}, 1)"
    if kind == "max":
        return f"F.adaptive_max_pool{rank - 2}d({call.arg(0)}, 1)"
    if kind == "sum":
        return f"{call.x}.sum(dim={dims}, keepdim=True)"
    raise NoTranslationError(f"pooling of the kind {kind!r}")


@translates("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm")
def _batch_norm(call: OperatorCall) -> str:
    call.only_default("output_mean_var")
    if "axis" in call.params and call.value("axis") != 1:
        raise NoTranslationError(f"`BatchNorm` over axis {call.value('axis')}: PyTorch's takes axis 1")
    scale = "torch.ones_like(" + call.arg(1) + ")" if call.flag("fix_gamma") else call.arg(1)
    training = "False" if call.flag("use_global_stats") else "self.training"
    momentum = number(1 - call.value("momentum"))
    return (
        f"F.batch_norm({call.arg(0)}, {call.arg(3)}, {call.arg(4)}, {scale}, {call.arg(2)}, {training}, "
        f"momentum={momentum}, eps={number(call.value('eps'))})"
    )


@translates("LayerNorm")
def _layer_norm(call: OperatorCall) -> str:
    call.only_default("output_mean_var")
    axis = call.value("axis")
    if axis != -1 and axis != (call.rank() or 0) - 1:
        raise NoTranslationError(f"`LayerNorm` over axis {axis}: PyTorch's takes the last axes")
    eps = _eps(call)
    return f"F.layer_norm({call.arg(0)}, {call.x}.shape[-1:], {call.arg(1)}, {call.arg(2)}{eps})"


def _eps(call: OperatorCall) -> str:
    if "eps" in call.params and not call.params["eps"].known:
        return f", eps={call.text('eps')}"
    value = number(call.value("eps"))
    return "" if value in ("1e-5", "1e-05") else f", eps={value}"


@translates("GroupNorm")
def _group_norm(call: OperatorCall) -> str:
    call.only_default("output_mean_var")
    groups = call.text("num_groups")
    # MXNet has a scale and an offset for each group.
    scale, offset = (f"{receiver(call.arg(k))}.repeat_interleave({call.x}.shape[1] // {groups})" for k in (1, 2))
    return f"F.group_norm({call.arg(0)}, {groups}, {scale}, {offset}{_eps(call)})"


@translates("InstanceNorm")
def _instance_norm(call: OperatorCall) -> str:
    return f"F.instance_norm({call.arg(0)}, weight={call.arg(1)}, bias={call.arg(2)}{_eps(call)})"


@translates("UpSampling")
def _up_sampling(call: OperatorCall) -> str:
    if call.value("sample_type") != "nearest" or len(call.inputs) > 1:
        raise NoTranslationError("`UpSampling` by a learned kernel, or of several inputs")
    return f'F.interpolate({call.arg(0)}, scale_factor={call.text("scale")}, mode="nearest")'


@translates("_contrib_BilinearResize2D")
def _resize(call: OperatorCall) -> str:
    mode = call.value("mode")
    corners = "True" if call.flag("align_corners") else "False"
    if mode == "like":
        target = f"size={call.arg(1)}.shape[2:]"
    elif mode == "size" and not call.given("scale_height"):
        target = f"size=({call.text('height')}, {call.text('width')})"
    elif mode == "size" and not call.flag("align_corners"):
        target = f"scale_factor=({call.text('scale_height')}, {call.text('scale_width')})"
    elif mode == "size":
        rows, columns = call.text("scale_height"), call.text("scale_width")
        target = f"size=(int({call.x}.shape[2] * {rows}), int({call.x}.shape[3] * {columns}))"
    else:
        raise NoTranslationError(f"`BilinearResize2D` with the mode {mode!r}")
    return f'F.interpolate({call.arg(0)}, {target}, mode="bilinear", align_corners={corners})'


@translates("_contrib_AdaptiveAvgPooling2D")
def _adaptive_pooling(call: OperatorCall) -> str:
    size = "1" if "output_size" not in call.params else call.text("output_size")
    if "output_size" in call.params and call.params["output_size"].known:
        value = call.value("output_size")
        size = "1" if value in ((), None) else sizes(value)
    return f"F.adaptive_avg_pool2d({call.arg(0)}, {size})"


def as_sizes(value: Sequence[int] | int) -> str:
    """Return sizes as text."""
    return sizes(value)
