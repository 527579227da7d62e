"""Answers requests as a contender of engines.py: torch.compile on the graphs that engines.py has written."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import torch._inductor.config
from exported import Net, read
from serving import PACE, Ready, serve
from torch.nn import functional

_CONVOLUTIONS = (functional.conv1d, functional.conv2d, functional.conv3d)
_MAXIMA = (functional.max_pool1d, functional.max_pool2d, functional.max_pool3d)
#: What inductor 2.13 computes wrongly where it takes weights for constants.
_WRONG_FROZEN = {"Deconvolution"}
_ACTIVATIONS = {"relu": torch.relu, "sigmoid": torch.sigmoid, "tanh": torch.tanh}


def _dense(p: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    return functional.linear(x.flatten(1) if p.get("flatten", True) else x, weight, bias)


def _convolution(p: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    convolve = _CONVOLUTIONS[x.dim() - 3]
    return convolve(x, weight, bias, p["stride"], p["pad"], p["dilate"], p["num_group"])


def _transposed(p: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    given = p["stride"], p["pad"], p["adj"], p["num_group"], p["dilate"]
    return functional.conv_transpose2d(x, weight, bias, *given)


def _pool(p: Any, x: Any) -> Any:
    if p["global_pool"]:
        return x.mean(tuple(range(2, x.dim())), keepdim=True)
    upwards = p["pooling_convention"] == "full"
    if p["pool_type"] == "max":
        pool = _MAXIMA[x.dim() - 3]
        return pool(x, p["kernel"], p["stride"], p["pad"], ceil_mode=upwards)
    return functional.avg_pool2d(x, p["kernel"], p["stride"], p["pad"], upwards, p["count_include_pad"])


def _enlarged(p: Any, x: Any) -> Any:
    return functional.interpolate(x, (p["height"], p["width"]), mode="bilinear", align_corners=True)


def _split(p: Any, x: Any) -> Any:
    return x.unbind(p["axis"]) if p.get("squeeze_axis") else x.chunk(p["num_outputs"], p.get("axis", 1))


def _batch_dot(p: Any, x: Any, y: Any) -> Any:
    return torch.bmm(x, y.transpose(1, 2) if p.get("transpose_b") else y)


@torch.compiler.disable
def _lstm(p: Any, x: Any, *arrays: Any) -> Any:
    # As torch.nn.LSTM is under torch.compile: left to the library's own kernel.
    *weights, hidden, cell = arrays
    return torch.lstm(x, (hidden, cell), weights, True, 1, 0.0, torch.is_grad_enabled(), False, False)[0]


_OPERATORS: dict[str, Callable[..., Any]] = {
    "Activation": lambda p, x: _ACTIVATIONS[p["act_type"]](x),
    "Concat": lambda p, *parts: torch.cat(parts, p["dim"]),
    "Convolution": _convolution,
    "Deconvolution": _transposed,
    "Dropout": lambda p, x: x,
    "Flatten": lambda p, x: x.flatten(1),
    "FullyConnected": _dense,
    "LayerNorm": lambda p, x, gamma, beta: functional.layer_norm(x, gamma.shape, gamma, beta, p["eps"]),
    "LeakyReLU": lambda p, x: {"gelu": functional.gelu}[p["act_type"]](x),
    "Pooling": _pool,
    "RNN": _lstm,
    "Reshape": lambda p, x: x.reshape(p["shape"]),
    "SliceChannel": _split,
    "_contrib_AdaptiveAvgPooling2D": lambda p, x: functional.adaptive_avg_pool2d(x, p["output_size"]),
    "_contrib_BilinearResize2D": _enlarged,
    "_div_scalar": lambda p, x: x / p["scalar"],
    "_mul_scalar": lambda p, x: x * p["scalar"],
    "_plus_scalar": lambda p, x: x + p["scalar"],
    "abs": lambda p, x: torch.abs(x),
    "batch_dot": _batch_dot,
    "broadcast_mul": lambda p, x, y: x * y,
    "clip": lambda p, x: torch.clamp(x, p["a_min"], p["a_max"]),
    "elemwise_add": lambda p, x, y: x + y,
    "elemwise_mul": lambda p, x, y: x * y,
    "elemwise_sub": lambda p, x, y: x - y,
    "exp": lambda p, x: torch.exp(x),
    "mean": lambda p, x: x.mean(p["axis"]),
    "relu": lambda p, x: torch.relu(x),
    "sigmoid": lambda p, x: torch.sigmoid(x),
    "softmax": lambda p, x: torch.softmax(x, -1),
    "squeeze": lambda p, x: x.squeeze(p["axis"]),
    "sqrt": lambda p, x: torch.sqrt(x),
    "stack": lambda p, *parts: torch.stack(parts, p["axis"]),
    "tanh": lambda p, x: torch.tanh(x),
    "transpose": lambda p, x: x.permute(p["axes"]),
}


class Module(torch.nn.Module):
    """A graph as a module; its arrays are parameters and buffers of it."""

    def __init__(self, net: Net) -> None:
        super().__init__()
        self.net = net
        self.fields = {name: f"array{k}" for k, name in enumerate(net.arrays)}
        for name, array in net.arrays.items():
            held = torch.from_numpy(array.copy())
            if name in net.trained:
                self.register_parameter(self.fields[name], torch.nn.Parameter(held))
            else:
                self.register_buffer(self.fields[name], held)

    def forward(self, *inputs: Any) -> Any:
        """Return the results."""
        values: list[Any] = [None] * self.net.values
        for place, array in zip(self.net.given, inputs, strict=True):
            values[place] = array
        for name, place in self.net.places.items():
            values[place] = getattr(self, self.fields[name])
        for node in self.net.nodes:
            taken = [values[v] for v in node.inputs]
            made = (
                self._normal(node.params, *taken)
                if node.op == "BatchNorm"
                else _OPERATORS[node.op](node.params, *taken)
            )
            for place, value in zip(node.outputs, made if isinstance(made, tuple) else (made,), strict=True):
                values[place] = value
        return tuple(values[v] for v in self.net.heads)

    def _normal(self, p: Any, x: Any, *arrays: Any) -> Any:
        gamma, beta, mean, variance = arrays
        gamma = torch.ones_like(gamma) if p["fix_gamma"] else gamma
        return functional.batch_norm(x, mean, variance, gamma, beta, self.training, 1 - p["momentum"], p["eps"])


def predicting(net: Net) -> Ready:
    """Return what predicts, with weights that inductor may take for constants."""
    torch._dynamo.reset()
    torch._inductor.config.freezing = all(node.op not in _WRONG_FROZEN for node in net.nodes)
    module = torch.compile(Module(net).eval())
    inputs = [torch.from_numpy(x) for x in net.inputs]
    outputs: list[Any] = []

    def predict() -> None:
        with torch.no_grad():
            outputs[:] = module(*inputs)

    return Ready(predict, lambda: _named("output", outputs))


def training(net: Net) -> Ready:
    """Return what trains: forward, backward and the update of the parameters, all of them compiled."""
    torch._dynamo.reset()
    plain = Module(net).train()
    module = torch.compile(plain)
    inputs = [torch.from_numpy(x) for x in net.inputs]
    parameters = {name: getattr(plain, plain.fields[name]) for name in net.trained}
    update = None
    if parameters:
        optimizer = torch.optim.SGD(parameters.values(), lr=PACE["learning_rate"], momentum=PACE["momentum"])
        update = torch.compile(optimizer.step)
    else:
        for x in inputs:
            x.requires_grad_()

    def train() -> None:
        for array in parameters.values() if parameters else inputs:
            array.grad = None
        outputs = module(*inputs)
        torch.autograd.backward(outputs, [torch.ones_like(y) for y in outputs])
        if update is not None:
            update()

    def found() -> dict[str, Any]:
        if parameters:
            return {name: parameter.grad.numpy() for name, parameter in parameters.items()}
        return _named("input", [x.grad for x in inputs])

    return Ready(train, found)


def _named(what: str, arrays: Sequence[Any]) -> dict[str, Any]:
    return {f"{what} {k}": array.numpy() for k, array in enumerate(arrays)}


if __name__ == "__main__":
    FOLDER, *TRAIN = sys.argv[1:]
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    MAKE = training if TRAIN == ["train"] else predicting
    serve(lambda workload: MAKE(read(Path(FOLDER), workload, {*_OPERATORS, "BatchNorm"})))
