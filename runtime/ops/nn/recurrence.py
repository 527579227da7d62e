"""Stacked, possibly bidirectional recurrent layers, and backpropagation through time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.ops.nn.cells import CELLS, Cell


@dataclass(frozen=True, slots=True)
class Stack:
    """The dimensions of stacked recurrent layers. A state has size `width`, less than `size` with a projection."""

    mode: str
    inputs: int
    size: int
    layers: int
    directions: int
    projection: int | None = None

    @property
    def cell(self) -> Cell:
        """The recurrent step of the layers' mode."""
        return CELLS[self.mode]

    @property
    def width(self) -> int:
        """Size of a state and of one direction's output."""
        return self.projection or self.size

    def shapes(self) -> Iterator[tuple[int, ...]]:
        """Iterate over the shapes of the parameters as they follow in their vector: all weights, then all biases."""
        rows = self.cell.gates * self.size
        for layer in range(self.layers):
            columns = self.inputs if layer == 0 else self.width * self.directions
            for _ in range(self.directions):
                yield rows, columns
                yield rows, self.width
                if self.projection:
                    yield self.projection, self.size
        for _ in range(self.layers * self.directions):
            yield (rows,)
            yield (rows,)

    def unpack(self, vector: Any) -> list[Any]:
        """Return views of the parameter vector, one for each of `shapes`."""
        parts, start = [], 0
        for shape in self.shapes():
            count = shape[0] * (shape[1] if len(shape) == 2 else 1)
            parts.append(vector[start : start + count].reshape(shape))
            start += count
        return parts

    def of(self, parts: list[Any], layer: int, direction: int) -> list[Any]:
        """Return the parameters of one layer in one direction: two weights, the projection (or None), two biases."""
        each = 3 if self.projection else 2
        place = layer * self.directions + direction
        first_bias = each * self.layers * self.directions
        weights = parts[each * place : each * (place + 1)]
        biases = parts[first_bias + 2 * place : first_bias + 2 * place + 2]
        return [*weights, *([] if self.projection else [None]), *biases]


@dataclass(slots=True)
class Run:
    """The results of one direction of one layer: final states, and everything that its gradient needs.

    `outputs` and `states` (before each step) are in the order of the data; `steps` and `shown` in the order of
    computation.
    """

    state: Any
    cell: Any
    outputs: Any
    states: Any
    steps: list[Any]
    shown: list[Any]


def run_direction(xp: Any, stack: Stack, params: list[Any], data: Any, state: Any, cell: Any, reverse: bool) -> Run:
    """Run one layer over data (T, N, I) in one direction. The outputs are in the order of the data."""
    w_in, w_state, w_out, b_in, b_state = params
    time, batch, width = data.shape
    sums = (xp.matmul(data.reshape(-1, width), w_in.T) + b_in).reshape(time, batch, -1)
    outputs, states = (xp.empty((time, batch, stack.width), data.dtype) for _ in range(2))
    run = Run(state, cell, outputs, states, [], [])
    for t in _order(time, reverse):
        run.states[t] = run.state
        hidden = xp.matmul(run.state, w_state.T) + b_state
        shown, run.cell, saved = stack.cell.forward(xp, sums[t], hidden, run.state, run.cell)
        run.state = shown if w_out is None else xp.matmul(shown, w_out.T)
        run.steps.append(saved)
        run.shown.append(shown)
        run.outputs[t] = run.state
    return run


def _order(time: int, reverse: bool) -> range:
    return range(time - 1, -1, -1) if reverse else range(time)


@dataclass(frozen=True, slots=True)
class Pulled:
    """The gradients of one direction of one layer; `weights` and `biases` in the order of the parameters."""

    data: Any
    state: Any
    cell: Any
    weights: list[Any]
    biases: list[Any]


def pull_direction(
    xp: Any, stack: Stack, params: list[Any], data: Any, run: Run, heads: tuple[Any, Any, Any], reverse: bool
) -> Pulled:
    """Return the gradients of one layer in one direction.

    `heads` are the gradients of the outputs, the final state and the final cell.
    """
    w_in, w_state, w_out, _, _ = params
    g_outputs, g, g_cell = heads
    time, batch, width = data.shape
    g_sums = xp.empty((time, batch, w_in.shape[0]), data.dtype)
    g_hidden = g_sums if stack.cell.shared else xp.empty(g_sums.shape, data.dtype)
    g_shown = []
    for k, t in reversed(list(enumerate(_order(time, reverse)))):
        g = g + g_outputs[t]
        if w_out is not None:
            g_shown.append(xp.matmul(g.T, run.shown[k]))
            g = xp.matmul(g, w_out)
        into, hidden, direct, g_cell = stack.cell.backward(xp, g, g_cell, run.steps[k])
        g_sums[t] = into
        if not stack.cell.shared:
            g_hidden[t] = hidden
        g = xp.matmul(hidden, w_state) if direct is None else xp.matmul(hidden, w_state) + direct
    rows = g_sums.reshape(time * batch, -1)
    hidden_rows = rows if stack.cell.shared else g_hidden.reshape(time * batch, -1)
    weights = [
        xp.matmul(rows.T, data.reshape(-1, width)),
        xp.matmul(hidden_rows.T, run.states.reshape(time * batch, -1)),
        *([] if w_out is None else [sum(g_shown[1:], g_shown[0])]),
    ]
    bias = rows.sum(axis=0)
    biases = [bias, bias if stack.cell.shared else hidden_rows.sum(axis=0)]
    return Pulled(xp.matmul(rows, w_in).reshape(data.shape), g, g_cell, weights, biases)


@dataclass(slots=True)
class Trace:
    """The runs of all layers and directions, and the input data of each layer."""

    runs: list[list[Run]]
    inputs: list[Any]
    output: Any


def run_stack(xp: Any, stack: Stack, vector: Any, data: Any, state: Any, cell: Any, masks: Any) -> Trace:
    """Run all layers. `masks`, unless None, are multiplied with the outputs of each layer but the last (dropout)."""
    parts, runs, inputs = stack.unpack(vector), [], []
    for layer in range(stack.layers):
        inputs.append(data)
        row = []
        for direction in range(stack.directions):
            place = layer * stack.directions + direction
            start = None if cell is None else cell[place]
            params = stack.of(parts, layer, direction)
            row.append(run_direction(xp, stack, params, data, state[place], start, direction == 1))
        runs.append(row)
        data = row[0].outputs if len(row) == 1 else xp.concatenate([r.outputs for r in row], axis=2)
        if masks is not None and layer + 1 < stack.layers:
            data = data * masks[layer]
    return Trace(runs, inputs, data)


def kept_of(xp: Any, trace: Trace) -> tuple[Any, Any]:
    """Return the values that the gradient needs from the runs: each step's saved values, and each run's outputs."""
    runs = [run for row in trace.runs for run in row]
    saved = xp.stack([part for run in runs for step in run.steps for part in parts_of(step)])
    return saved, xp.stack([run.outputs for run in runs])


def parts_of(saved: Any) -> tuple[Any, ...]:
    """Return the values that a step saved, as arrays."""
    return saved if isinstance(saved, tuple) else (saved,)


def trace_of(xp: Any, stack: Stack, vector: Any, data: Any, state: Any, masks: Any, saved: Any, outputs: Any) -> Trace:
    """Return the runs of all layers in the form that the gradient needs, from the results of `kept_of`."""
    parts, runs, inputs, time = stack.unpack(vector), [], [], data.shape[0]
    count = saved.shape[0] // (stack.layers * stack.directions * time)
    for layer in range(stack.layers):
        inputs.append(data)
        row = []
        for direction in range(stack.directions):
            place = layer * stack.directions + direction
            rows = range(place * time * count, (place + 1) * time * count, count)
            steps = [tuple(saved[k + part] for part in range(count)) for k in rows]
            shown = outputs[place]
            first = state[place : place + 1]
            before = [shown[1:], first] if direction else [first, shown[:-1]]
            projected = stack.of(parts, layer, direction)[2] is not None
            # Only the LSTM has a projection: of what it shows of its cell.
            run = Run(
                None,
                None,
                shown,
                xp.concatenate(before),
                steps if count > 1 else [step for (step,) in steps],
                [step[3] * step[4] for step in steps] if projected else [],
            )
            row.append(run)
        runs.append(row)
        data = row[0].outputs if len(row) == 1 else xp.concatenate([r.outputs for r in row], axis=2)
        if masks is not None and layer + 1 < stack.layers:
            data = data * masks[layer]
    return Trace(runs, inputs, data)


def pull_stack(
    xp: Any, stack: Stack, vector: Any, trace: Trace, g: Any, g_state: Any, g_cell: Any, masks: Any
) -> tuple[Any, Any, Any, Any]:
    """Return the gradients of data, parameters, initial states and initial cells."""
    parts, found = stack.unpack(vector), dict[int, Pulled]()
    for layer in reversed(range(stack.layers)):
        if masks is not None and layer + 1 < stack.layers:
            g = g * masks[layer]
        places = range(layer * stack.directions, (layer + 1) * stack.directions)
        for direction, place in enumerate(places):
            part = g[:, :, direction * stack.width : (direction + 1) * stack.width]
            found[place] = pull_direction(
                xp,
                stack,
                stack.of(parts, layer, direction),
                trace.inputs[layer],
                trace.runs[layer][direction],
                (part, g_state[place], g_cell[place]),
                direction == 1,
            )
        g = found[places[0]].data if len(places) == 1 else found[places[0]].data + found[places[1]].data
    pulled = [found[place] for place in range(stack.layers * stack.directions)]
    listed = [*(w for row in pulled for w in row.weights), *(b for row in pulled for b in row.biases)]
    into = xp.concatenate([gradient.reshape(-1) for gradient in listed])
    return g, into, xp.stack([row.state for row in pulled]), xp.stack([row.cell for row in pulled])
