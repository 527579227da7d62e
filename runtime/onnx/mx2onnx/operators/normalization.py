"""Normalization in predict mode."""

from __future__ import annotations

import numpy as np

from hybridlint.runtime.facts.types import Shape
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.operators.reductions import reduce_value
from hybridlint.runtime.onnx.mx2onnx.translation import translates


def _batch_norm(call: OnnxCall) -> str:
    """`BatchNormalization`, which has the channels on axis 1."""
    axis = call.axis(call.params.get("axis", 1))
    (channels,) = call.static(call.shape[axis : axis + 1])
    dtype = call.ins[2].dtype or "float32"
    gamma = call.array(np.ones(channels), dtype) if call.params["fix_gamma"] else call.input(1)
    order = [*(k for k in range(call.rank) if k != axis)]
    order.insert(1, axis)
    data = call.transposed(call.data, order)
    vectors = (gamma, *(call.input(k) for k in (2, 3, 4)))
    result = call.emit("BatchNormalization", data, *vectors, epsilon=call.params["eps"])
    return call.transposed(result, [order.index(k) for k in range(call.rank)])


@translates("BatchNorm", "BatchNorm_v1", "_contrib_SyncBatchNorm")
def _norm(call: OnnxCall) -> str:
    return _batch_norm(call)


@translates("_contrib_BatchNormWithReLU")
def _norm_with_relu(call: OnnxCall) -> str:
    return call.emit("Relu", _batch_norm(call))


def _standardized(call: OnnxCall, data: str, axes: tuple[int, ...]) -> str:
    centered = call.emit("Sub", data, reduce_value(call, "ReduceMean", data, axes))
    variance = reduce_value(call, "ReduceMean", call.emit("Mul", centered, centered), axes)
    deviation = call.emit("Sqrt", call.emit("Add", variance, call.array(call.params["eps"])))
    return call.emit("Div", centered, deviation)


def _affine(call: OnnxCall, value: str, shape: Shape) -> str:
    """Return a value times gamma plus beta, both of which get this shape."""
    gamma, beta = (call.input(k) if shape == call.shape_of(k) else call.reshaped(call.input(k), shape) for k in (1, 2))
    return call.emit("Add", call.emit("Mul", value, gamma), beta)


@translates("LayerNorm")
def _layer_norm(call: OnnxCall) -> str:
    axis = call.axis(call.params["axis"])
    normal = _standardized(call, call.data, (axis,))
    return _affine(call, normal, (*call.shape[axis : axis + 1], *(1,) * (call.rank - 1 - axis)))


@translates("GroupNorm", "InstanceNorm")
def _group_norm(call: OnnxCall) -> str:
    (groups,) = call.static(call.shape_of(1))
    rows = call.emit("Reshape", call.data, call.ints(0, groups, -1))
    normal = _affine(call, _standardized(call, rows, (2,)), (groups, 1))
    return call.reshaped(normal, call.shape)


@translates("LRN")
def _lrn(call: OnnxCall) -> str:
    alpha, beta, bias = (call.params[name] for name in ("alpha", "beta", "knorm"))
    return call.emit("LRN", call.data, alpha=alpha, beta=beta, bias=bias, size=call.params["nsize"])
