"""``mx.gluon.rnn.rnn_cell``: the names exported there, and the helpers that cells of public projects import."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.gluon.rnn.containers import BidirectionalCell, HybridSequentialRNNCell, SequentialRNNCell
from hybridlint.runtime.gluon.rnn.gates import GRUCell, LSTMCell, RNNCell
from hybridlint.runtime.gluon.rnn.modifiers import DropoutCell, ModifierCell, ResidualCell, ZoneoutCell
from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell, RecurrentCell
from hybridlint.runtime.gluon.rnn.steps import arrange, mask

__all__ = [
    "BidirectionalCell",
    "DropoutCell",
    "GRUCell",
    "HybridRecurrentCell",
    "HybridSequentialRNNCell",
    "LSTMCell",
    "ModifierCell",
    "RNNCell",
    "RecurrentCell",
    "ResidualCell",
    "SequentialRNNCell",
    "ZoneoutCell",
]

_mask_sequence_variable_length = mask


def _format_sequence(
    length: int | None, inputs: Any, layout: str, merge: bool | None, in_layout: str | None = None
) -> tuple[Any, int, Any, int]:
    """Return a sequence in `layout`, its time axis, its operator namespace and its batch size (0: unknown)."""
    steps = arrange(length, inputs, layout, merge, in_layout)
    return steps.value, steps.axis, steps.F, steps.batch_size


def _get_begin_state(cell: RecurrentCell, F: Any, begin_state: Any, inputs: Any, batch_size: int) -> Any:
    """Return the first states: those given, or zeros beside the inputs."""
    if begin_state is not None:
        return begin_state
    first = inputs[0] if isinstance(inputs, (list, tuple)) else inputs
    place = {"ctx": first.context} if hasattr(first, "context") else {}
    return cell.begin_state(batch_size=batch_size, func=F.zeros, **place)
