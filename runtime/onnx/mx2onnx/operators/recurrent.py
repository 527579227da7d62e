"""Fused recurrent layers: one node for each layer, whose weights are taken out of MXNet's vector."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates
from hybridlint.runtime.ops.nn.recurrence import Stack

#: The order in which ONNX has the gates of a cell, as positions in MXNet's order.
GATES = {"lstm": (0, 3, 1, 2), "gru": (1, 0, 2), "rnn_tanh": (0,), "rnn_relu": (0,)}
_KINDS = {"lstm": "LSTM", "gru": "GRU", "rnn_tanh": "RNN", "rnn_relu": "RNN"}


@translates("RNN", constants=("parameters",))
def _rnn(call: OnnxCall) -> list[str]:
    params = call.params
    if params["projection_size"] is not None:
        call.refuse("an LSTM with a projection (projection_size) has no counterpart")
    if params["lstm_state_clip_min"] is not None or params["lstm_state_clip_max"] is not None:
        call.refuse("clipped states (lstm_state_clip_min, lstm_state_clip_max) have no counterpart")
    (inputs,) = call.static(call.shape[2:])
    directions = 2 if params["bidirectional"] else 1
    stack = Stack(params["mode"], inputs, params["state_size"], params["num_layers"], directions)
    parts = stack.unpack(call.known["parameters"])
    value, states, cells = call.data, [], []
    for layer in range(stack.layers):
        value, state, cell = _layer(call, stack, parts, layer, value)
        states.append(state)
        cells.append(cell)
    if not params["state_outputs"]:
        return [value]
    ends = [states, cells] if stack.mode == "lstm" else [states]
    return [value, *(rows[0] if len(rows) == 1 else call.emit("Concat", *rows, axis=0) for rows in ends)]


def _layer(call: OnnxCall, stack: Stack, parts: list[Any], layer: int, data: str) -> tuple[str, str, str]:
    """Return the output of a layer (T, N, directions * H), its final states and, for an LSTM, its final cells."""
    weights = [_weights(stack, parts, layer, direction) for direction in range(stack.directions)]
    stacked = [call.array(np.stack(arrays), weights[0][0].dtype.name) for arrays in zip(*weights, strict=True)]
    lstm = stack.mode == "lstm"
    initial = [_initial(call, stack, layer, index) for index in ((2, 3) if lstm else (2,))]
    output, state, *cell = call.emit_several(
        _KINDS[stack.mode],
        [data, *stacked, None, *initial],
        3 if lstm else 2,
        hidden_size=stack.size,
        direction="bidirectional" if stack.directions == 2 else "forward",
        linear_before_reset=1 if stack.mode == "gru" else None,
        activations=["Relu"] * stack.directions if stack.mode == "rnn_relu" else None,
    )
    if stack.directions == 1:
        return call.emit("Squeeze", output, call.ints(1)), state, cell[0] if cell else ""
    beside = call.emit("Transpose", output, perm=[0, 2, 1, 3])
    return call.emit("Reshape", beside, call.ints(0, 0, -1)), state, cell[0] if cell else ""


def _weights(stack: Stack, parts: list[Any], layer: int, direction: int) -> tuple[Any, Any, Any]:
    """Return the weights of inputs and of states, and both biases as one vector, with the gates in ONNX's order."""
    of_input, of_state, _, input_bias, state_bias = stack.of(parts, layer, direction)

    def ordered(array: Any) -> Any:
        gates = array.reshape(-1, stack.size, *array.shape[1:])
        return gates[list(GATES[stack.mode])].reshape(array.shape)

    return ordered(of_input), ordered(of_state), np.concatenate([ordered(input_bias), ordered(state_bias)])


def _initial(call: OnnxCall, stack: Stack, layer: int, index: int) -> str:
    """Return the states with which a layer begins: all of them, or its rows."""
    if stack.layers == 1:
        return call.input(index)
    return call.sliced(call.input(index), 0, layer * stack.directions, (layer + 1) * stack.directions)
