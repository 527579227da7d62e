"""Symbolic cells made of cells: stacked, and in both directions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, RNNParams, Weights
from hybridlint.runtime.rnn.steps import arrange
from hybridlint.runtime.symbol import Symbol

_States = Sequence[Symbol]


class _Cells(BaseRNNCell):
    """Cells that have their states side by side."""

    def __init__(self, prefix: str, params: RNNParams | None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._override_cell_params = params is not None
        self._cells: list[BaseRNNCell] = []

    def _take(self, cell: BaseRNNCell) -> None:
        """Add a cell and share parameters with it. Raises AssertionError if both have their own."""
        self._cells.append(cell)
        if self._override_cell_params:
            if not cell._own_params:
                raise AssertionError("Either specify params for the container or its cells, not both.")
            cell.params._params.update(self._params._params)
        self._params._params.update(cell.params._params)

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of all states."""
        return [info for cell in self._cells for info in cell.state_info]

    def begin_state(self, **kwargs: Any) -> list[Symbol]:  # type: ignore[override]
        """Return the first states of all cells. Raises AssertionError if another cell modifies this one."""
        if self._modified:
            raise AssertionError(
                "After applying modifier cells (e.g. ZoneoutCell) the base cell cannot be called directly. Call the "
                "modifier cell instead."
            )
        return [state for cell in self._cells for state in cell.begin_state(**kwargs)]

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with those of all cells taken apart gate by gate."""
        found = dict(args)
        for cell in self._cells:
            found = cell.unpack_weights(found)
        return found

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with the gates of all cells joined."""
        found = dict(args)
        for cell in self._cells:
            found = cell.pack_weights(found)
        return found

    def _own(self, states: _States) -> list[_States]:
        """Return each cell's part of the states."""
        parts, at = [], 0
        for cell in self._cells:
            count = len(cell.state_info)
            parts.append(states[at : at + count])
            at += count
        return parts


class SequentialRNNCell(_Cells):
    """Cells stacked: the output of each is the input of the next."""

    def __init__(self, params: RNNParams | None = None) -> None:
        super().__init__("", params)

    def add(self, cell: BaseRNNCell) -> None:
        """Append a cell. Raises AssertionError if both have parameters of their own."""
        self._take(cell)

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step. Raises AssertionError for a cell in both directions."""
        self._counter += 1
        after: list[Symbol] = []
        for cell, own in zip(self._cells, self._own(states), strict=True):
            if isinstance(cell, BidirectionalCell):
                raise AssertionError("a BidirectionalCell has no single step: call unroll")
            inputs, changed = cell(inputs, own)
            after += changed
        return inputs, after

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: _States | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, _States]:
        """Run each cell over all steps, one after the other."""
        self.reset()
        states = self.begin_state() if begin_state is None else begin_state
        after: list[Symbol] = []
        for k, (cell, own) in enumerate(zip(self._cells, self._own(states), strict=True)):
            merge = merge_outputs if k == len(self._cells) - 1 else None
            inputs, changed = cell.unroll(length, inputs, begin_state=own, layout=layout, merge_outputs=merge)
            after += changed
        return inputs, after


class BidirectionalCell(_Cells):
    """Two cells, one of which processes the steps in reverse order. Their outputs are joined."""

    def __init__(
        self, l_cell: BaseRNNCell, r_cell: BaseRNNCell, params: RNNParams | None = None, output_prefix: str = "bi_"
    ) -> None:
        super().__init__("", params)
        self._output_prefix = output_prefix
        self._take(l_cell)
        self._take(r_cell)

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Raise NotImplementedError: the second cell begins at the last step."""
        raise NotImplementedError("Bidirectional cannot be stepped. Please use unroll")

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: _States | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, _States]:
        """Run both cells over all steps."""
        self.reset()
        steps, axis = arrange(length, inputs, layout, merge=False)
        states = self.begin_state() if begin_state is None else begin_state
        forth, back = self._cells
        ahead, behind = self._own(states)
        left, l_states = forth.unroll(length, steps, ahead, layout, merge_outputs)
        right, r_states = back.unroll(length, list(reversed(steps)), behind, layout, merge_outputs)
        if merge_outputs is None:
            merge_outputs = isinstance(left, Symbol) and isinstance(right, Symbol)
            left, _ = arrange(length, left, layout, merge_outputs)
            right, _ = arrange(length, right, layout, merge_outputs)
        after = [*l_states, *r_states]
        if merge_outputs:
            right = sym.reverse(right, axis=axis)
            return sym.Concat(left, right, dim=2, name=f"{self._output_prefix}out"), after
        pairs = zip(left, reversed(list(right)), strict=True)
        return [sym.Concat(x, y, dim=1, name=f"{self._output_prefix}t{k}") for k, (x, y) in enumerate(pairs)], after
