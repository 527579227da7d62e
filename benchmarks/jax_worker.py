"""Answers requests as a contender of engines.py: JAX on the CPU, on the graphs that engines.py has written.

JAX asks no variable for the number of its threads, but takes as many as there are processors to run on: this process
keeps to so many as it may have threads.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-int(os.environ["OMP_NUM_THREADS"]) :])

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from exported import Net, Node, read  # noqa: E402
from serving import PACE, Ready, UntranslatedError, serve  # noqa: E402

_ACTIVATIONS = {"relu": jax.nn.relu, "sigmoid": jax.nn.sigmoid, "tanh": jnp.tanh}
_LAYOUTS = ("NCH", "NCHW", "NCDHW")


def _dense(p: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    sums = (x.reshape(x.shape[0], -1) if p.get("flatten", True) else x) @ weight.T
    return sums if bias is None else sums + bias


def _convolution(p: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    frame, layout = [(n, n) for n in p["pad"]], _LAYOUTS[x.ndim - 3]
    axes = layout, layout.replace("C", "I").replace("N", "O"), layout
    sums = jax.lax.conv_general_dilated(
        x, weight, p["stride"], frame, None, p["dilate"], axes, feature_group_count=p["num_group"]
    )
    return sums if bias is None else sums + _along_channels(bias, x)


def _along_channels(vector: Any, x: Any) -> Any:
    return vector.reshape(-1, *(1,) * (x.ndim - 2))


def _transposed(p: Any, x: Any, weight: Any, bias: Any = None) -> Any:
    """Spread the data by its strides, in a frame, and convolve it with the filters turned around."""
    if p["num_group"] != 1:
        raise UntranslatedError("no translation of Deconvolution in groups")
    turned = jnp.flip(weight, (2, 3)).swapaxes(0, 1)
    reach = [(k - 1) * d for k, d in zip(p["kernel"], p["dilate"], strict=True)]
    frame = [(r - n, r - n + more) for r, n, more in zip(reach, p["pad"], p["adj"], strict=True)]
    layout = ("NCHW", "OIHW", "NCHW")
    sums = jax.lax.conv_general_dilated(x, turned, (1, 1), frame, p["stride"], p["dilate"], layout)
    return sums if bias is None else sums + _along_channels(bias, x)


def _pool(p: Any, x: Any) -> Any:
    if p["global_pool"]:
        return x.mean(tuple(range(2, x.ndim)), keepdims=True)
    upwards = p["pooling_convention"] == "full"
    rows = zip(x.shape[2:], p["kernel"], p["stride"], p["pad"], strict=True)
    frame = [(0, 0), (0, 0), *((pad, pad + (-(n + 2 * pad - k) % s if upwards else 0)) for n, k, s, pad in rows)]
    window, steps = (1, 1, *p["kernel"]), (1, 1, *p["stride"])
    if p["pool_type"] == "max":
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, steps, frame)
    if upwards or not p["count_include_pad"]:
        raise UntranslatedError("no translation of means of windows that reach beyond the frame")
    return jax.lax.reduce_window(x, 0.0, jax.lax.add, window, steps, frame) / math.prod(window)


def _adaptive(p: Any, x: Any) -> Any:
    if p["output_size"] != 1:
        raise UntranslatedError("no translation of AdaptiveAvgPooling2D to more than one place")
    return x.mean((2, 3), keepdims=True)


def _enlarged(p: Any, x: Any) -> Any:
    """Interpolate between the corners, which stay where they are."""
    for axis, size in ((2, p["height"]), (3, p["width"])):
        at = jnp.linspace(0, x.shape[axis] - 1, size)
        first = jnp.clip(jnp.floor(at).astype(int), 0, max(x.shape[axis] - 2, 0))
        part = (at - first).reshape(-1, *(1,) * (3 - axis))
        after = jnp.minimum(first + 1, x.shape[axis] - 1)
        x = jnp.take(x, first, axis) * (1 - part) + jnp.take(x, after, axis) * part
    return x


def _layer_norm(p: Any, x: Any, gamma: Any, beta: Any) -> Any:
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt((centred * centred).mean(-1, keepdims=True) + p["eps"]) * gamma + beta


def _split(p: Any, x: Any) -> Any:
    if p.get("squeeze_axis"):
        return tuple(jnp.moveaxis(x, p["axis"], 0))
    return tuple(jnp.split(x, p["num_outputs"], p.get("axis", 1)))


def _lstm(p: Any, x: Any, *arrays: Any) -> Any:
    w_x, w_h, b_x, b_h, hidden, cell = arrays

    def step(states: Any, row: Any) -> Any:
        before, kept = states
        take, forget, new, show = jnp.split(row + before @ w_h.T, 4, axis=-1)
        kept = jax.nn.sigmoid(forget) * kept + jax.nn.sigmoid(take) * jnp.tanh(new)
        after = jax.nn.sigmoid(show) * jnp.tanh(kept)
        return (after, kept), after

    return jax.lax.scan(step, (hidden[0], cell[0]), x @ w_x.T + (b_x + b_h))[1]


_OPERATORS: dict[str, Callable[..., Any]] = {
    "Activation": lambda p, x: _ACTIVATIONS[p["act_type"]](x),
    "Concat": lambda p, *parts: jnp.concatenate(parts, p["dim"]),
    "Convolution": _convolution,
    "Deconvolution": _transposed,
    "Dropout": lambda p, x: x,
    "Flatten": lambda p, x: x.reshape(x.shape[0], -1),
    "FullyConnected": _dense,
    "LayerNorm": _layer_norm,
    "LeakyReLU": lambda p, x: {"gelu": jax.nn.gelu}[p["act_type"]](x, approximate=False),
    "Pooling": _pool,
    "RNN": _lstm,
    "Reshape": lambda p, x: x.reshape(p["shape"]),
    "SliceChannel": _split,
    "_contrib_AdaptiveAvgPooling2D": _adaptive,
    "_contrib_BilinearResize2D": _enlarged,
    "_div_scalar": lambda p, x: x / p["scalar"],
    "_mul_scalar": lambda p, x: x * p["scalar"],
    "_plus_scalar": lambda p, x: x + p["scalar"],
    "abs": lambda p, x: jnp.abs(x),
    "batch_dot": lambda p, x, y: x @ (y.swapaxes(1, 2) if p.get("transpose_b") else y),
    "broadcast_mul": lambda p, x, y: x * y,
    "clip": lambda p, x: jnp.clip(x, p["a_min"], p["a_max"]),
    "elemwise_add": lambda p, x, y: x + y,
    "elemwise_mul": lambda p, x, y: x * y,
    "elemwise_sub": lambda p, x, y: x - y,
    "exp": lambda p, x: jnp.exp(x),
    "mean": lambda p, x: x.mean(p["axis"]),
    "relu": lambda p, x: jax.nn.relu(x),
    "sigmoid": lambda p, x: jax.nn.sigmoid(x),
    "softmax": lambda p, x: jax.nn.softmax(x, -1),
    "squeeze": lambda p, x: x.squeeze(p["axis"]),
    "sqrt": lambda p, x: jnp.sqrt(x),
    "stack": lambda p, *parts: jnp.stack(parts, p["axis"]),
    "tanh": lambda p, x: jnp.tanh(x),
    "transpose": lambda p, x: x.transpose(p["axes"]),
}


class Graph:
    """A graph as a function of arrays by name and inputs: its results, and the running statistics after it."""

    def __init__(self, net: Net, *, trains: bool) -> None:
        self.net = net
        self.trains = trains
        self.names = {place: name for name, place in net.places.items()}

    def __call__(self, arrays: dict[str, Any], inputs: Any) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Return the results and the running statistics."""
        values: list[Any] = [None] * self.net.values
        states: dict[str, Any] = {}
        for place, array in zip(self.net.given, inputs, strict=True):
            values[place] = array
        for name, place in self.net.places.items():
            values[place] = arrays[name]
        for node in self.net.nodes:
            taken = [values[v] for v in node.inputs]
            made = (
                self._normal(node, states, *taken)
                if node.op == "BatchNorm"
                else _OPERATORS[node.op](node.params, *taken)
            )
            for place, value in zip(node.outputs, made if isinstance(made, tuple) else (made,), strict=True):
                values[place] = value
        return tuple(values[v] for v in self.net.heads), states

    def _normal(self, node: Node, states: dict[str, Any], x: Any, *arrays: Any) -> Any:
        gamma, beta, mean, variance = arrays
        gamma = jnp.ones_like(gamma) if node.params["fix_gamma"] else gamma
        if self.trains:
            pace, summed = node.params["momentum"], (0, *range(2, x.ndim))
            running, mean = mean, x.mean(summed)
            states[self.names[node.inputs[3]]] = pace * running + (1 - pace) * mean
            running, variance = variance, jnp.square(x - _along_channels(mean, x)).mean(summed)
            states[self.names[node.inputs[4]]] = pace * running + (1 - pace) * variance
        scale = gamma * jax.lax.rsqrt(variance + node.params["eps"])
        return x * _along_channels(scale, x) + _along_channels(beta - mean * scale, x)


def predicting(net: Net) -> Ready:
    """Return what predicts."""
    call = jax.jit(lambda arrays, inputs: Graph(net, trains=False)(arrays, inputs)[0])
    arrays = {name: jnp.asarray(array) for name, array in net.arrays.items()}
    inputs = [jnp.asarray(x) for x in net.inputs]
    outputs: list[Any] = []

    def predict() -> None:
        outputs[:] = jax.block_until_ready(call(arrays, inputs))

    return Ready(predict, lambda: {f"output {k}": y for k, y in enumerate(outputs)})


def training(net: Net) -> Ready:
    """Return what trains: forward, backward and the update of the parameters as one function."""
    graph = Graph(net, trains=True)

    def total(trained: Any, states: Any, inputs: Any) -> Any:
        outputs, after = graph({**trained, **states}, inputs)
        return sum(y.sum() for y in outputs), (after, outputs)

    by = 0 if net.trained else 2

    def stepped(trained: Any, states: Any, moments: Any, inputs: Any) -> Any:
        gradients, (after, outputs) = jax.grad(total, argnums=by, has_aux=True)(trained, states, inputs)
        if not net.trained:
            return trained, {**states, **after}, moments, gradients, outputs
        moments = {name: PACE["momentum"] * moments[name] + gradients[name] for name in trained}
        trained = {name: held - PACE["learning_rate"] * moments[name] for name, held in trained.items()}
        return trained, {**states, **after}, moments, gradients, outputs

    call = jax.jit(stepped, donate_argnums=(0, 1, 2))
    arrays = {name: jnp.asarray(array) for name, array in net.arrays.items()}
    trained = {name: arrays[name] for name in net.trained}
    inputs = [jnp.asarray(x) for x in net.inputs]
    states = {name: held for name, held in arrays.items() if name not in trained}
    now: list[Any] = [trained, states, {name: jnp.zeros_like(held) for name, held in trained.items()}]

    def train() -> None:
        now[:] = jax.block_until_ready(call(*now[:3], inputs))

    def found() -> dict[str, Any]:
        return dict(now[3]) if net.trained else {f"input {k}": g for k, g in enumerate(now[3])}

    return Ready(train, found)


if __name__ == "__main__":
    FOLDER, *TRAIN = sys.argv[1:]
    MAKE = training if TRAIN == ["train"] else predicting
    serve(lambda workload: MAKE(read(Path(FOLDER), workload, {*_OPERATORS, "BatchNorm"})))
