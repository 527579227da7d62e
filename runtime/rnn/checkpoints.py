"""Files of recurrent networks, with their weights gate by gate, so that fused and single cells read each other's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from hybridlint.runtime.base import _as_list
from hybridlint.runtime.model import checkpoints
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, Weights
from hybridlint.runtime.symbol import Symbol

Cells = BaseRNNCell | Sequence[BaseRNNCell]


def save_rnn_checkpoint(
    cells: Cells,
    prefix: str,
    epoch: int,
    symbol: Symbol,
    arg_params: Mapping[str, NDArray],
    aux_params: Mapping[str, NDArray],
) -> None:
    """Write the graph and its weights, those of `cells` gate by gate."""
    weights = dict(arg_params)
    for cell in _as_list(cells):
        weights = cell.unpack_weights(weights)
    checkpoints.save_checkpoint(prefix, epoch, symbol, weights, aux_params)


def load_rnn_checkpoint(cells: Cells, prefix: str, epoch: int) -> tuple[Symbol, Weights, Weights]:
    """Return graph, weights (those of `cells` joined) and auxiliary states."""
    symbol, weights, states = checkpoints.load_checkpoint(prefix, epoch)
    for cell in _as_list(cells):
        weights = cell.pack_weights(weights)
    return symbol, weights, states


def do_rnn_checkpoint(cells: Cells, prefix: str, period: int = 1) -> Callable[[int, Any, Any, Any], None]:
    """Return a callback that writes a checkpoint every `period` epochs."""
    every = max(1, int(period))

    def callback(epoch: int, symbol: Symbol, arg_params: Any, aux_params: Any) -> None:
        if (epoch + 1) % every == 0:
            save_rnn_checkpoint(cells, prefix, epoch + 1, symbol, arg_params, aux_params)

    return callback
