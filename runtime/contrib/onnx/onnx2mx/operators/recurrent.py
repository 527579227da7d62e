"""Recurrent layers, whose weights are put into MXNet's vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.contrib.onnx.onnx2mx.node import Node
from hybridlint.runtime.contrib.onnx.onnx2mx.reading import reads
from hybridlint.runtime.onnx.mx2onnx.operators.recurrent import GATES
from hybridlint.runtime.symbol.symbol import Symbol


@reads("LSTM")
def _lstm(node: Node) -> list[Symbol]:
    return _layer(node, "lstm")


@reads("GRU")
def _gru(node: Node) -> list[Symbol]:
    if not node.attributes.get("linear_before_reset"):
        node.refuse("a reset before the product (linear_before_reset=0) has no counterpart")
    return _layer(node, "gru")


@reads("RNN")
def _rnn(node: Node) -> list[Symbol]:
    kinds = {str(_text(name)) for name in node.attributes.get("activations", ["Tanh"])}
    if kinds not in ({"Tanh"}, {"Relu"}):
        node.refuse(f"only the activations Tanh and Relu are supported, not {', '.join(sorted(kinds))}")
    return _layer(node, "rnn_relu" if kinds == {"Relu"} else "rnn_tanh")


def _text(name: Any) -> Any:
    return name.decode() if isinstance(name, bytes) else name


def _layer(node: Node, mode: str) -> list[Symbol]:
    """Return outputs (T, directions, N, H), the final states and, of an LSTM, the final cells."""
    direction = node.attributes.get("direction", "forward")
    if direction == "reverse" or node.has(4) or node.has(7) or node.attributes.get("layout"):
        node.refuse("reverse alone, lengths of sequences, peepholes and layout=1 are not supported")
    if mode in {"lstm", "gru"} and node.attributes.get("activations"):
        node.refuse("activations other than those of the layer are not supported")
    size, directions = node.attributes["hidden_size"], 2 if direction == "bidirectional" else 1
    weights = node.parameter(_vector(node, mode, size), "parameters")
    count = 2 if mode == "lstm" else 1
    states = [_state(node, 5 + k, directions, size) for k in range(count)]
    results = node.call(
        "RNN",
        node.data,
        weights,
        *states,
        mode=mode,
        state_size=size,
        num_layers=1,
        bidirectional=directions == 2,
        state_outputs=True,
    )
    split = node.call("Reshape", results[0], shape=(0, 0, directions, size))
    return [node.call("transpose", split, axes=(0, 2, 1, 3)), *(results[k + 1] for k in range(count))]


def _vector(node: Node, mode: str, size: int) -> Any:
    """Return MXNet's vector: the weights of inputs and of states in each direction, then the biases."""
    of_input, of_state = node.constant(1), node.constant(2)
    order = np.argsort(GATES[mode])

    def ordered(array: Any) -> Any:
        return array.reshape(-1, size, *array.shape[1:])[order].reshape(-1)

    rows = of_input.shape[1]
    biases = node.constant(3) if node.has(3) else np.zeros((len(of_input), 2 * rows), of_input.dtype)
    weights = [ordered(part[k]) for k in range(len(of_input)) for part in (of_input, of_state)]
    return np.concatenate([*weights, *(ordered(half) for row in biases for half in (row[:rows], row[rows:]))])


def _state(node: Node, index: int, directions: int, size: int) -> Symbol:
    if node.has(index):
        return node.input(index)
    batch = node.shape[1]
    if not isinstance(batch, int):
        node.refuse("without initial states, the number of examples must not be dynamic")
    return node.call("_zeros", shape=(directions, batch, size), dtype="float32")
