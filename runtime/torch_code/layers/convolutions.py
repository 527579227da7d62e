"""Convolutions and pooling."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.layer_call import LayerCall, TorchLayer, builds, written
from hybridlint.runtime.torch_code.layers.basic import activation_of, bias_of
from hybridlint.runtime.torch_code.operators.layers import sizes


def axes_of(call: LayerCall) -> int:
    """Return over how many axes a layer goes, by its name."""
    return int(call.kind.removesuffix("Transpose")[-2])


def check_layout(call: LayerCall) -> None:
    """Raise NoTranslationError for a layout whose channels are not first."""
    if call.given("layout") and call.value("layout") not in (None, "NCW", "NCHW", "NCDHW"):
        raise NoTranslationError(f"the layout {call.value('layout')!r}: PyTorch's layers take channels first")


def size_argument(call: LayerCall, name: str) -> str:
    """Return sizes as text, one number where all are equal."""
    argument = call.arguments.get(name)
    if argument is not None and not argument.known:
        return argument.text
    return sizes(call.value(name))


def keyword(call: LayerCall, name: str, torch_name: str) -> str:
    """Return a keyword argument of sizes, "" if it has its default."""
    if not call.given(name):
        return ""
    argument = call.arguments[name]
    if argument.known and _uniform(argument.value) == _uniform(call._defaults.get(name)):
        return ""
    return f"{torch_name}={size_argument(call, name)}"


def _uniform(value: Any) -> Any:
    if isinstance(value, tuple | list) and value and len(set(value)) == 1:
        return value[0]
    return value


@builds("Conv1D", "Conv2D", "Conv3D", "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose")
def _convolution(call: LayerCall) -> TorchLayer:
    check_layout(call)
    transposed = call.kind.endswith("Transpose")
    name = f"Conv{'Transpose' if transposed else ''}{axes_of(call)}d"
    size = call.size("in_channels")
    arguments = [
        call.text("channels"),
        _kernel(call),
        keyword(call, "strides", "stride"),
        keyword(call, "padding", "padding"),
        keyword(call, "output_padding", "output_padding") if transposed else "",
        keyword(call, "dilation", "dilation"),
        keyword(call, "groups", "groups"),
        bias_of(call),
    ]
    text = written(f"nn.Lazy{name}", *arguments) if size is None else written(f"nn.{name}", size, *arguments)
    starts = call.starts(weight_initializer="weight", bias_initializer="bias")
    return TorchLayer(text, activation=activation_of(call), starts=starts, lazy=size is None)


def _kernel(call: LayerCall) -> str:
    text = size_argument(call, "kernel_size")
    positional = "kernel_size" in call.arguments
    return f"kernel_size={text}" if positional else text


@builds("MaxPool1D", "MaxPool2D", "MaxPool3D", "AvgPool1D", "AvgPool2D", "AvgPool3D")
def _pooling(call: LayerCall) -> TorchLayer:
    check_layout(call)
    kind = call.kind[:3]
    same = call.given("strides") and _same(call, "strides", "pool_size")
    arguments = [
        size_argument(call, "pool_size"),
        "" if same or not call.given("strides") else f"stride={size_argument(call, 'strides')}",
        keyword(call, "padding", "padding"),
        f"ceil_mode={call.text('ceil_mode')}" if call.given("ceil_mode") else "",
    ]
    if kind == "Avg" and call.given("count_include_pad"):
        arguments.append(f"count_include_pad={call.text('count_include_pad')}")
    return TorchLayer(written(f"nn.{kind}Pool{axes_of(call)}d", *arguments))


def _same(call: LayerCall, left: str, right: str) -> bool:
    return size_argument(call, left) == size_argument(call, right)


@builds(
    "GlobalAvgPool1D", "GlobalAvgPool2D", "GlobalAvgPool3D", "GlobalMaxPool1D", "GlobalMaxPool2D", "GlobalMaxPool3D"
)
def _global_pooling(call: LayerCall) -> TorchLayer:
    check_layout(call)
    kind = "Avg" if "Avg" in call.kind else "Max"
    return TorchLayer(f"nn.Adaptive{kind}Pool{axes_of(call)}d(1)")
