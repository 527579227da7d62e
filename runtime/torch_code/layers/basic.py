"""Fully connected layers, activations, dropout, embeddings and small layers without parameters."""

from __future__ import annotations

from hybridlint.runtime.torch_code.call import ArgumentText
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.layer_call import LayerCall, TorchLayer, activation_layer, builds, written
from hybridlint.runtime.torch_code.texts import literal


def bias_of(call: LayerCall) -> str:
    """Return the argument for a layer without bias, "" for one that has it."""
    if not call.given("use_bias"):
        return ""
    return f"bias={call.text('use_bias')}"


def activation_of(call: LayerCall) -> str | None:
    """Return the layer for the activation that a layer includes, None if it has none."""
    if "activation" not in call.arguments or call.arguments["activation"].value is None:
        return None
    return activation_layer(call.arguments["activation"])


@builds("Dense")
def _dense(call: LayerCall) -> TorchLayer:
    if call.given("dtype"):
        call.only_default("dtype")
    size = call.size("in_units")
    units = call.text("units")
    bias = bias_of(call)
    text = written("nn.LazyLinear", units, bias) if size is None else written("nn.Linear", size, units, bias)
    flattens = (call.seen.most_axes or 2) > 2 and bool(call.value("flatten"))
    starts = call.starts(weight_initializer="weight", bias_initializer="bias")
    return TorchLayer(text, flattens, activation_of(call), starts, lazy=size is None)


@builds("Activation")
def _activation(call: LayerCall) -> TorchLayer:
    return TorchLayer(activation_layer(call.arguments["activation"]))


@builds("LeakyReLU")
def _leaky_relu(call: LayerCall) -> TorchLayer:
    alpha = call.text("alpha")
    return TorchLayer(f"nn.LeakyReLU({alpha})")


@builds("PReLU")
def _prelu(call: LayerCall) -> TorchLayer:
    channels = call.text("in_channels") if call.given("in_channels") else ""
    starts = call.starts(alpha_initializer="weight")
    return TorchLayer(written("nn.PReLU", channels), starts=starts)


@builds("ELU")
def _elu(call: LayerCall) -> TorchLayer:
    return TorchLayer(written("nn.ELU", call.text("alpha") if call.given("alpha") else ""))


@builds("SELU")
def _selu(call: LayerCall) -> TorchLayer:
    return TorchLayer("nn.SELU()")


@builds("GELU")
def _gelu(call: LayerCall) -> TorchLayer:
    return TorchLayer("nn.GELU()")


@builds("Swish")
def _swish(call: LayerCall) -> TorchLayer:
    if call.given("beta") and call.value("beta") not in (1, 1.0):
        raise NoTranslationError(f"`Swish` with `beta={call.text('beta')}`: `nn.SiLU` has 1")
    return TorchLayer("nn.SiLU()")


@builds("Dropout")
def _dropout(call: LayerCall) -> TorchLayer:
    rate = call.text("rate")
    if not call.given("axes"):
        return TorchLayer(f"nn.Dropout({rate})")
    axes = call.value("axes")
    layers = {(2,): "nn.Dropout1d", (2, 3): "nn.Dropout2d", (2, 3, 4): "nn.Dropout3d"}
    if tuple(axes) not in layers:
        raise NoTranslationError(f"`Dropout` with `axes={literal(axes)}`")
    return TorchLayer(f"{layers[tuple(axes)]}({rate})")


@builds("Embedding", "SparseEmbedding")
def _embedding(call: LayerCall) -> TorchLayer:
    call.only_default("dtype")
    text = f"nn.Embedding({call.text('input_dim')}, {call.text('output_dim')})"
    return TorchLayer(text, starts=call.starts(weight_initializer="weight"))


@builds("Flatten")
def _flatten(call: LayerCall) -> TorchLayer:
    return TorchLayer("nn.Flatten()")


@builds("Identity")
def _identity(call: LayerCall) -> TorchLayer:
    return TorchLayer("nn.Identity()")


@builds("Sequential", "HybridSequential")
def _sequential(call: LayerCall) -> TorchLayer:
    return TorchLayer("nn.Sequential()")


@builds("PixelShuffle2D")
def _pixel_shuffle(call: LayerCall) -> TorchLayer:
    factor: ArgumentText = call.arguments["factor"]
    return TorchLayer(f"nn.PixelShuffle({factor.text})")


@builds("ReflectionPad2D")
def _reflection_pad(call: LayerCall) -> TorchLayer:
    if not call.arguments.get("padding", ArgumentText("0", 0)).known:
        return TorchLayer(f"nn.ReflectionPad2d({call.text('padding')})")
    padding = call.value("padding")
    if isinstance(padding, tuple | list):
        *_, top, bottom, left, right = padding
        return TorchLayer(f"nn.ReflectionPad2d({literal((left, right, top, bottom))})")
    return TorchLayer(f"nn.ReflectionPad2d({padding})")


@builds("Concurrent", "HybridConcurrent")
def _concurrent(call: LayerCall) -> TorchLayer:
    return TorchLayer("Concurrent()")
