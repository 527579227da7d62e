"""Activations, softmax and the outputs of losses in predict mode."""

from __future__ import annotations

import math

from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates

_ACTIVATIONS = {"relu": "Relu", "sigmoid": "Sigmoid", "tanh": "Tanh", "softrelu": "Softplus", "softsign": "Softsign"}


@translates("Activation")
def _activation(call: OnnxCall) -> str:
    return call.emit(_ACTIVATIONS[call.params["act_type"]], call.data)


@translates("LeakyReLU")
def _leaky_relu(call: OnnxCall) -> str:
    kind = call.params["act_type"]
    if kind == "prelu":
        return call.emit("PRelu", call.data, _slopes(call))
    if kind == "gelu":
        return _gelu(call)
    if kind == "elu":
        return call.emit("Elu", call.data, alpha=call.params["slope"])
    if kind == "selu":
        return call.emit("Selu", call.data)
    middle = (call.params["lower_bound"] + call.params["upper_bound"]) / 2
    return call.emit("LeakyRelu", call.data, alpha=middle if kind == "rrelu" else call.params["slope"])


def _slopes(call: OnnxCall) -> str:
    """Return the slopes of PReLU so that they broadcast: a vector belongs to axis 1, others to the leading axes."""
    shape = call.shape_of(1)
    if len(shape) > 1:
        return call.reshaped(call.input(1), (*shape, *(1,) * (call.rank - len(shape))))
    if shape == (1,):
        return call.input(1)
    return call.reshaped(call.input(1), (*shape, *(1,) * max(call.rank - 2, 0)))


def _gelu(call: OnnxCall) -> str:
    inner = call.emit("Erf", call.emit("Mul", call.data, call.array(math.sqrt(0.5))))
    return call.emit("Mul", call.emit("Mul", call.data, call.array(0.5)), call.emit("Add", inner, call.array(1)))


def _scaled(call: OnnxCall, sign: int = 1) -> str:
    """Return the data in the dtype of the result, divided by the temperature."""
    data = call.cast(call.data, call.dtype, call.ins[0].dtype)
    factor = sign / (call.params.get("temperature") or 1.0)
    return data if factor == 1 else call.emit("Mul", data, call.array(factor))


@translates("softmax")
def _softmax(call: OnnxCall) -> str:
    axis = call.axis(call.params["axis"])
    data = _scaled(call)
    if not call.params["use_length"]:
        return call.emit("Softmax", data, axis=axis)
    (size,) = call.static(call.shape[axis : axis + 1])
    steps = call.reshaped(call.ints(*range(size)), (size, *(1,) * (call.rank - 1 - axis)))
    inside = call.emit("Less", steps, call.emit("Unsqueeze", call.whole(1), call.ints(axis)))
    # The least number of the dtype and not infinity: in a row without any element, all would be not a number.
    hidden = call.emit("Where", inside, data, call.array(-6e4))
    return call.emit("Mul", call.emit("Softmax", hidden, axis=axis), call.cast(inside, call.dtype, "bool"))


@translates("log_softmax")
def _log_softmax(call: OnnxCall) -> str:
    return call.emit("LogSoftmax", _scaled(call), axis=call.axis(call.params["axis"]))


@translates("softmin")
def _softmin(call: OnnxCall) -> str:
    return call.emit("Softmax", _scaled(call, -1), axis=call.axis(call.params["axis"]))


@translates("SoftmaxActivation")
def _softmax_activation(call: OnnxCall) -> str:
    return call.emit("Softmax", call.data, axis=1 if call.params["mode"] == "channel" else call.rank - 1)


@translates("SoftmaxOutput")
def _softmax_output(call: OnnxCall) -> str:
    """Softmax over the channels, or over each example as a whole; the label is for training."""
    if call.params["multi_output"] or call.params["preserve_shape"] or call.rank == 2:
        return call.emit("Softmax", call.data, axis=1 if call.params["multi_output"] else call.rank - 1)
    flat = call.reshaped(call.data, (call.shape[0], -1))
    return call.reshaped(call.emit("Softmax", flat, axis=1), call.shape)


@translates("LinearRegressionOutput", "MAERegressionOutput", "SVMOutput")
def _linear_output(call: OnnxCall) -> str:
    """Return the data themselves; the label is for training."""
    return call.data


@translates("LogisticRegressionOutput")
def _logistic_output(call: OnnxCall) -> str:
    return call.emit("Sigmoid", call.data)
