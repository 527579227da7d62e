"""Unrolling of cells with a loop operator, so that one compiled graph handles sequences of any length."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.symbol.symbol import Symbol

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.gluon.rnn.recurrent import RecurrentCell


def dynamic_unroll(
    cell: RecurrentCell,
    inputs: Any,
    begin_state: Sequence[Any],
    drop_inputs: float = 0,
    drop_outputs: float = 0,
    layout: str = "TNC",
    valid_length: Any = None,
) -> tuple[Any, Any]:
    """Run a cell over all steps of `inputs`, (length, batch, ...) or (batch, length, ...) with ``NTC``.

    Returns the outputs in that layout and the last states. With `valid_length` (batch,), later outputs are zeros and
    the states are those of the last valid step. `drop_inputs` and `drop_outputs` are dropout rates. Raises
    AssertionError if `inputs` is not a tensor.
    """
    if not isinstance(inputs, arrays.tensor_types):
        raise AssertionError("dynamic_unroll takes a sequence in one tensor")
    F = arrays.operator_namespace(symbolic=isinstance(inputs, Symbol))
    axis = layout.find("T")
    swapped = _swapped(layout, axis)
    sequence = inputs if swapped is None else F.transpose(inputs, axes=swapped)
    if drop_inputs:
        sequence = F.Dropout(sequence, p=drop_inputs, axes=(axis,))
    outputs, states = _loop(F, cell, sequence, list(begin_state), valid_length)
    if drop_outputs:
        outputs = F.Dropout(outputs, p=drop_outputs, axes=(axis,))
    if swapped is not None:
        outputs = F.transpose(outputs, axes=swapped)
    if valid_length is not None:
        outputs = F.SequenceMask(outputs, sequence_length=valid_length, use_sequence_length=True, axis=axis)
    return outputs, states


def _swapped(layout: str, axis: int) -> list[int] | None:
    """Return the axis order that moves time to the front, None if it is there. The order is its own inverse."""
    if axis == 0:
        return None
    order = list(range(len(layout)))
    order[0], order[axis] = axis, 0
    return order


def _loop(F: Any, cell: RecurrentCell, sequence: Any, begin_state: list[Any], valid_length: Any) -> tuple[Any, Any]:
    if valid_length is None:
        return F.contrib.foreach(cell, sequence, begin_state)  # type: ignore[no-any-return]

    def step(x: Any, states: Any) -> tuple[Any, Any]:
        *before, count = states
        output, after = cell(x, before)
        running = F.broadcast_greater(valid_length, count)
        kept = [F.where(running, new, old) for new, old in zip(after, before, strict=True)]
        return output, [*kept, count + 1]

    outputs, states = F.contrib.foreach(step, sequence, [*begin_state, F.zeros(1)])
    return outputs, states[:-1]
