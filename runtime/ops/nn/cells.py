"""Single steps of recurrent layers, forward and backward, for each mode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hybridlint.runtime.ops.nn.activation import sigmoid


@dataclass(frozen=True, slots=True)
class Cell:
    """A recurrent step. Its inputs `x` and `h` (N, gates * H) are the weighted input and state, with biases added.

    `forward` is ``(xp, x, h, state, cell) -> (state, cell, saved)``; `backward` is ``(xp, g, g_cell, saved) -> (g_x,
    g_h, g_state, g_cell)``, where `g_state` is the part of the state's gradient that does not pass through `h`, None if
    there is none. A cell is `shared` if it sees nothing but the sum of `x` and `h`, whose gradients are the same then.
    """

    gates: int
    shared: bool
    #: How many arrays of the state's size are saved.
    saved: int
    forward: Callable[[Any, Any, Any, Any, Any], tuple[Any, Any, Any]]
    backward: Callable[[Any, Any, Any, Any], tuple[Any, Any, Any, Any]]


def _tanh(xp: Any, x: Any, h: Any, state: Any, cell: Any) -> tuple[Any, Any, Any]:
    result = xp.tanh(x + h)
    return result, cell, result


def _tanh_back(xp: Any, g: Any, g_cell: Any, saved: Any) -> tuple[Any, Any, Any, Any]:
    into = g * (1 - saved * saved)
    return into, into, None, g_cell


def _relu(xp: Any, x: Any, h: Any, state: Any, cell: Any) -> tuple[Any, Any, Any]:
    result = xp.maximum(x + h, 0)
    return result, cell, result


def _relu_back(xp: Any, g: Any, g_cell: Any, saved: Any) -> tuple[Any, Any, Any, Any]:
    into = g * (saved > 0)
    return into, into, None, g_cell


def _lstm(xp: Any, x: Any, h: Any, state: Any, cell: Any) -> tuple[Any, Any, Any]:
    total, size = x + h, cell.shape[1]
    open_, keep, new, show = (total[:, k * size : (k + 1) * size] for k in range(4))
    open_, keep, show = (sigmoid(xp, t) for t in (open_, keep, show))
    new = xp.tanh(new)
    after = keep * cell + open_ * new
    visible = xp.tanh(after)
    return show * visible, after, (open_, keep, new, show, visible, cell)


def _lstm_back(xp: Any, g: Any, g_cell: Any, saved: Any) -> tuple[Any, Any, Any, Any]:
    open_, keep, new, show, visible, before = saved
    g_after = g_cell + g * show * (1 - visible * visible)
    into = xp.concatenate(
        [
            g_after * new * open_ * (1 - open_),
            g_after * before * keep * (1 - keep),
            g_after * open_ * (1 - new * new),
            g * visible * show * (1 - show),
        ],
        axis=1,
    )
    return into, into, None, g_after * keep


def _gru(xp: Any, x: Any, h: Any, state: Any, cell: Any) -> tuple[Any, Any, Any]:
    size = state.shape[1]
    reset = sigmoid(xp, x[:, :size] + h[:, :size])
    keep = sigmoid(xp, x[:, size : 2 * size] + h[:, size : 2 * size])
    hidden = h[:, 2 * size :]
    new = xp.tanh(x[:, 2 * size :] + reset * hidden)
    return new + keep * (state - new), cell, (reset, keep, new, hidden, state)


def _gru_back(xp: Any, g: Any, g_cell: Any, saved: Any) -> tuple[Any, Any, Any, Any]:
    reset, keep, new, hidden, state = saved
    g_new = g * (1 - keep) * (1 - new * new)
    g_keep = g * (state - new) * keep * (1 - keep)
    g_reset = g_new * hidden * reset * (1 - reset)
    g_x = xp.concatenate([g_reset, g_keep, g_new], axis=1)
    g_h = xp.concatenate([g_reset, g_keep, g_new * reset], axis=1)
    return g_x, g_h, g * keep, g_cell


CELLS = {
    "rnn_tanh": Cell(1, True, 1, _tanh, _tanh_back),
    "rnn_relu": Cell(1, True, 1, _relu, _relu_back),
    "lstm": Cell(4, True, 6, _lstm, _lstm_back),
    "gru": Cell(3, False, 5, _gru, _gru_back),
}


@dataclass(frozen=True, slots=True)
class Advance:
    """A recurrent step in memory that is there.

    `sums` tells what it takes, each of the state's size: the gate whose weights are multiplied, a factor, and whether
    input and state take part. ``step(xp, sums, shown, cell, room)`` gets these one after another, along the first axis,
    and writes the state to `shown` and the cell over `cell`; `sums` and `room` may be overwritten.
    """

    sums: tuple[tuple[int, float, bool, bool], ...]
    step: Callable[[Any, Any, Any, Any, Any], None]

    @property
    def products(self) -> int:
        """Number of sums."""
        return len(self.sums)


def _logistic_of_negated(xp: Any, x: Any) -> None:
    """Replace negated numbers by their logistic function."""
    xp.exp(x, out=x)
    xp.add(x, 1, out=x)
    xp.reciprocal(x, out=x)


def _advance_tanh(xp: Any, sums: Any, shown: Any, cell: Any, room: Any) -> None:
    xp.tanh(sums, out=shown)


def _advance_relu(xp: Any, sums: Any, shown: Any, cell: Any, room: Any) -> None:
    xp.maximum(sums, 0, out=shown)


def _advance_lstm(xp: Any, sums: Any, shown: Any, cell: Any, room: Any) -> None:
    each = len(cell)
    open_, keep, show, new = (sums[k * each : (k + 1) * each] for k in range(4))
    _logistic_of_negated(xp, sums[: 3 * each])
    xp.tanh(new, out=new)
    xp.multiply(keep, cell, out=cell)
    xp.multiply(open_, new, out=new)
    xp.add(cell, new, out=cell)
    xp.tanh(cell, out=room)
    xp.multiply(show, room, out=shown)


def _advance_gru(xp: Any, sums: Any, shown: Any, cell: Any, room: Any) -> None:
    each = len(room)
    reset, keep, new, hidden = (sums[k * each : (k + 1) * each] for k in range(4))
    _logistic_of_negated(xp, sums[: 2 * each])
    xp.multiply(reset, hidden, out=hidden)
    xp.add(new, hidden, out=new)
    xp.tanh(new, out=new)
    xp.subtract(shown, new, out=room)
    xp.multiply(keep, room, out=room)
    xp.add(new, room, out=shown)


_BOTH, _NEGATED = (1.0, True, True), (-1.0, True, True)
ADVANCES = {
    "rnn_tanh": Advance(((0, *_BOTH),), _advance_tanh),
    "rnn_relu": Advance(((0, *_BOTH),), _advance_relu),
    "lstm": Advance(((0, *_NEGATED), (1, *_NEGATED), (3, *_NEGATED), (2, *_BOTH)), _advance_lstm),
    "gru": Advance(((0, *_NEGATED), (1, *_NEGATED), (2, 1.0, True, False), (2, 1.0, False, True)), _advance_gru),
}
