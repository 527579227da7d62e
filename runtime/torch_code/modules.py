"""Operators of a network's graph as layers of `torch.nn`, where all their weights are parameters."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from hybridlint.runtime.facts.records import record
from hybridlint.runtime.torch_code.errors import NoTranslationError
from hybridlint.runtime.torch_code.layer_call import ACTIVATION_LAYERS, written
from hybridlint.runtime.torch_code.operators.layers import sizes
from hybridlint.runtime.torch_code.texts import literal, number


@record(frozen=True, slots=True)
class GraphLayer:
    """A layer: the texts of the layers for a node, and the parameters of the layer at `index` by name."""

    texts: tuple[str, ...]
    state: Mapping[str, Any]
    index: int = 0


@record(frozen=True, slots=True)
class GraphCall:
    """A node of a graph: its parameters, the arrays of its inputs but the first, and its rank.

    An array is None if it is absent.
    """

    params: Mapping[str, Any]
    arrays: Sequence[Any]
    rank: int | None
    channels: int | None

    def sizes(self, name: str, torch_name: str, usual: int) -> str:
        """Return a keyword argument of sizes, "" for the usual value."""
        value = self.params.get(name) or ()
        return "" if not value or set(value) == {usual} else f"{torch_name}={sizes(value)}"

    @property
    def axes(self) -> int:
        """Over how many axes a convolution or pooling goes."""
        kernel = self.params.get("kernel") or ()
        if kernel:
            return len(kernel)
        if self.rank is None:
            raise NoTranslationError("the number of axes of its input is not known")
        return self.rank - 2


#: Returns the layer for a node, or None where a function says it better.
BuildNode: TypeAlias = Callable[[GraphCall], GraphLayer | None]
_by_name: dict[str, BuildNode] = {}


def layer_for(name: str) -> BuildNode | None:
    """Return the function for the nodes of an operator, None if there is none."""
    return _by_name.get(name)


def _node(*names: str) -> Callable[[BuildNode], BuildNode]:
    def register(function: BuildNode) -> BuildNode:
        for name in names:
            _by_name[name] = function
        return function

    return register


def _layer(text: str, state: Mapping[str, Any] | None = None) -> GraphLayer:
    return GraphLayer((text,), state or {})


def _weights(call: GraphCall) -> dict[str, Any]:
    """Return weight and bias."""
    weight, *rest = call.arrays
    bias = rest[0] if rest and not call.params.get("no_bias") else None
    return {"weight": weight, **({} if bias is None else {"bias": bias})}


@_node("Convolution", "Convolution_v1")
def _convolution(call: GraphCall) -> GraphLayer:
    if call.params.get("layout") not in (None, "NCW", "NCHW", "NCDHW"):
        raise NoTranslationError(f"the layout {call.params['layout']}")
    state = _weights(call)
    groups = call.params["num_group"]
    kernel = call.params["kernel"]
    text = written(
        f"nn.Conv{len(kernel)}d",
        str(state["weight"].shape[1] * groups),
        str(call.params["num_filter"]),
        f"kernel_size={sizes(kernel)}",
        call.sizes("stride", "stride", 1),
        call.sizes("pad", "padding", 0),
        call.sizes("dilate", "dilation", 1),
        f"groups={groups}" if groups != 1 else "",
        "bias=False" if "bias" not in state else "",
    )
    return _layer(text, state)


@_node("Deconvolution")
def _deconvolution(call: GraphCall) -> GraphLayer | None:
    if call.params.get("target_shape"):
        return None
    state = _weights(call)
    groups = call.params["num_group"]
    kernel = call.params["kernel"]
    text = written(
        f"nn.ConvTranspose{len(kernel)}d",
        str(state["weight"].shape[0]),
        str(call.params["num_filter"]),
        f"kernel_size={sizes(kernel)}",
        call.sizes("stride", "stride", 1),
        call.sizes("pad", "padding", 0),
        call.sizes("adj", "output_padding", 0),
        f"groups={groups}" if groups != 1 else "",
        "bias=False" if "bias" not in state else "",
        call.sizes("dilate", "dilation", 1),
    )
    return _layer(text, state)


@_node("FullyConnected")
def _fully_connected(call: GraphCall) -> GraphLayer:
    state = _weights(call)
    units, inner = state["weight"].shape
    text = written("nn.Linear", str(inner), str(units), "" if "bias" in state else "bias=False")
    flattens = call.params["flatten"] and call.rank != 2
    return GraphLayer(("nn.Flatten()", text) if flattens else (text,), state, int(bool(flattens)))


@_node("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm")
def _batch_norm(call: GraphCall) -> GraphLayer:
    if call.params.get("axis", 1) != 1:
        raise NoTranslationError(f"`BatchNorm` over axis {call.params['axis']}")
    gamma, beta, mean, variance = call.arrays
    weight = gamma * 0 + 1 if call.params["fix_gamma"] else gamma
    axes = {2: 1, 3: 1, 4: 2, 5: 3}.get(call.rank or 4, 2)
    eps, momentum = number(call.params["eps"]), number(1 - call.params["momentum"])
    text = written(
        f"nn.BatchNorm{axes}d",
        str(len(gamma)),
        "" if math.isclose(call.params["eps"], 1e-5, rel_tol=1e-5) else f"eps={eps}",
        "" if momentum == "0.1" else f"momentum={momentum}",
    )
    return _layer(text, {"weight": weight, "bias": beta, "running_mean": mean, "running_var": variance})


@_node("Activation")
def _activation(call: GraphCall) -> GraphLayer:
    return _layer(ACTIVATION_LAYERS[call.params["act_type"]])


@_node("relu")
def _relu(call: GraphCall) -> GraphLayer:
    return _layer("nn.ReLU()")


@_node("sigmoid")
def _sigmoid(call: GraphCall) -> GraphLayer:
    return _layer("nn.Sigmoid()")


@_node("LeakyReLU")
def _leaky_relu(call: GraphCall) -> GraphLayer | None:
    kind = call.params["act_type"]
    if kind == "prelu":
        slopes = call.arrays[0].reshape(-1)
        return _layer(f"nn.PReLU({len(slopes)})" if len(slopes) > 1 else "nn.PReLU()", {"weight": slopes})
    texts = {
        "leaky": f"nn.LeakyReLU({number(call.params['slope'])})",
        "elu": written("nn.ELU", "" if call.params["slope"] == 1 else number(call.params["slope"])),
        "gelu": "nn.GELU()",
        "selu": "nn.SELU()",
    }
    return _layer(texts[kind]) if kind in texts else None


@_node("Dropout")
def _dropout(call: GraphCall) -> GraphLayer | None:
    axes = tuple(call.params.get("axes") or ())
    return _layer(f"nn.Dropout({number(call.params['p'])})") if not axes else None


@_node("Flatten")
def _flatten(call: GraphCall) -> GraphLayer:
    return _layer("nn.Flatten()")


@_node("Embedding")
def _embedding(call: GraphCall) -> GraphLayer:
    rows, size = call.arrays[0].shape
    return _layer(f"nn.Embedding({rows}, {size})", {"weight": call.arrays[0]})


@_node("LayerNorm")
def _layer_norm(call: GraphCall) -> GraphLayer | None:
    if call.params["axis"] not in (-1, (call.rank or 0) - 1):
        return None
    gamma, beta = call.arrays
    eps = "" if math.isclose(call.params["eps"], 1e-5, rel_tol=1e-5) else f"eps={number(call.params['eps'])}"
    return _layer(written("nn.LayerNorm", str(len(gamma)), eps), {"weight": gamma, "bias": beta})


@_node("InstanceNorm")
def _instance_norm(call: GraphCall) -> GraphLayer:
    gamma, beta = call.arrays
    axes = {3: 1, 4: 2, 5: 3}.get(call.rank or 4, 2)
    eps = "" if math.isclose(call.params["eps"], 1e-5, rel_tol=1e-5) else f"eps={number(call.params['eps'])}"
    text = written(f"nn.InstanceNorm{axes}d", str(len(gamma)), eps, "affine=True")
    return _layer(text, {"weight": gamma, "bias": beta})


@_node("Pooling", "Pooling_v1")
def _pooling(call: GraphCall) -> GraphLayer | None:
    kind, params = call.params["pool_type"], call.params
    if kind not in ("max", "avg"):
        return None
    if params["global_pool"]:
        return _layer(f"nn.Adaptive{kind.capitalize()}Pool{call.axes}d(1)")
    full = params["pooling_convention"] == "full"
    if params["pooling_convention"] not in ("valid", "full"):
        return None
    kernel, stride = tuple(params["kernel"]), tuple(params["stride"] or ())
    text = written(
        f"nn.{kind.capitalize()}Pool{call.axes}d",
        sizes(kernel),
        "" if stride == kernel else f"stride={sizes(stride) if stride else 1}",
        call.sizes("pad", "padding", 0),
        "ceil_mode=True" if full else "",
        "count_include_pad=False" if kind == "avg" and params.get("count_include_pad") is False else "",
    )
    return _layer(text)


@_node("_contrib_AdaptiveAvgPooling2D")
def _adaptive_pooling(call: GraphCall) -> GraphLayer:
    size = tuple(call.params["output_size"] or ()) or (1,)
    return _layer(f"nn.AdaptiveAvgPool2d({sizes(size) if len(size) > 1 else size[0]})")


__all__ = ["GraphCall", "GraphLayer", "layer_for", "literal"]
