"""Recurrent layers in planned memory: one product a step, of input, state and 1 with all weights and biases."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import TensorType
from hybridlint.runtime.ops.nn.cells import ADVANCES, Advance
from hybridlint.runtime.ops.nn.recurrence import Stack

#: The most columns of a panel.
_WIDEST = 64


@record(frozen=True, slots=True)
class _Layer:
    """One direction of one layer: `place` counts them, `inputs` is the width of what it takes."""

    layer: int
    direction: int
    inputs: int

    def order(self, time: int) -> range:
        """Return the steps in the order of computation."""
        return range(time - 1, -1, -1) if self.direction else range(time)


def recipe(stack: Stack, time: int, batch: int, dtype: str | None, outputs: int) -> BufferRecipe:
    """Return how to run the layers over data (time, batch, inputs) without dropout and projection."""
    advance = ADVANCES[stack.mode]
    size, width = stack.size, _width(stack.size)
    blocks = size // width
    layers = [*_layers(stack)]
    inner = max(one.inputs for one in layers) + size + 1
    between = 0 if stack.layers == 1 else min(2, stack.layers - 1)
    shapes = [
        (batch * inner,),
        (advance.products * blocks, batch, width),
        *((blocks, batch, width) for _ in range(2)),
        *((time, batch, size * stack.directions) for _ in range(between)),
    ]

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        data, _, state, *rest = ins
        given, sums, cell, room, *between = scratch
        for panel, one in zip(kept, layers, strict=True):
            place = one.layer * stack.directions + one.direction
            last = one.layer == stack.layers - 1
            into = outs[0] if last else between[one.layer % 2]
            if one.layer and not one.direction:
                data = between[(one.layer - 1) % 2]
            columns = None if into is None else into[:, :, one.direction * size : (one.direction + 1) * size]
            left = given[: batch * panel.shape[1]].reshape(batch, -1)
            shown = left[:, one.inputs : one.inputs + size]
            blocked = shown.reshape(batch, blocks, width).swapaxes(0, 1)
            left[:, -1] = 1
            xp.copyto(shown, state[place])
            if stack.mode == "lstm":
                xp.copyto(cell, rest[0][place].reshape(batch, blocks, width).swapaxes(0, 1))
            for t in one.order(time):
                left[:, : one.inputs] = data[t]
                xp.matmul(left, panel, out=sums)
                advance.step(xp, sums, blocked, cell, room)
                if columns is not None:
                    columns[t] = shown
            if outs[1:] and outs[1] is not None:
                xp.copyto(outs[1][place], shown)
            if outs[2:] and outs[2] is not None:
                xp.copyto(outs[2][place].reshape(batch, blocks, width).swapaxes(0, 1), cell)

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        parts = stack.unpack(steady[0])
        for panel, one in zip(kept, layers, strict=True):
            w_in, w_state, _, b_in, b_state = stack.of(parts, one.layer, one.direction)
            _fill(xp, panel, advance, size, (w_in, w_state, b_in, b_state))

    def weights(one: _Layer) -> TensorType:
        return TensorType((advance.products * blocks, one.inputs + size + 1, width), dtype)

    return BufferRecipe(
        run,
        scratch=tuple(TensorType(shape, dtype) for shape in shapes),
        kept=tuple(map(weights, layers)),
        steady=(1,),
        prepare=prepare,
        outputs=outputs,
    )


def _layers(stack: Stack) -> Iterator[_Layer]:
    for layer in range(stack.layers):
        for direction in range(stack.directions):
            yield _Layer(layer, direction, stack.width * stack.directions if layer else stack.inputs)


def _width(size: int) -> int:
    """Return the width of panels: the largest divisor of the size up to a limit, or the size if that is small."""
    found = max(width for width in range(1, min(size, _WIDEST) + 1) if size % width == 0)
    return found if found >= min(size, _WIDEST // 4) else size


def _fill(xp: Any, panel: Any, advance: Advance, size: int, weights: tuple[Any, Any, Any, Any]) -> None:
    """Fill a panel with one direction's weights and biases: for each sum, rows for the input, the state, and 1."""
    w_in, w_state, b_in, b_state = weights
    each = panel.shape[0] // advance.products
    width, inputs = panel.shape[2], w_in.shape[1]

    def turned(rows: Any) -> Any:
        """Return rows (size, columns) as (blocks, columns, width)."""
        return rows.reshape(each, width, -1).swapaxes(1, 2)

    for k, (gate, factor, takes_input, takes_state) in enumerate(advance.sums):
        rows = slice(gate * size, (gate + 1) * size)
        place = panel[k * each : (k + 1) * each]
        place.fill(0)
        if takes_input:
            xp.multiply(turned(w_in[rows]), factor, out=place[:, :inputs])
            place[:, -1:] += turned(b_in[rows] * factor)
        if takes_state:
            xp.multiply(turned(w_state[rows]), factor, out=place[:, inputs:-1])
            place[:, -1:] += turned(b_state[rows] * factor)
