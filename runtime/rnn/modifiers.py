"""Symbolic cells that modify another cell: dropout, zoneout, residual connections."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.rnn.containers import BidirectionalCell
from hybridlint.runtime.rnn.fused import FusedRNNCell
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, RNNParams, Weights
from hybridlint.runtime.rnn.steps import arrange
from hybridlint.runtime.symbol import Symbol

_States = Sequence[Symbol]


class ModifierCell(BaseRNNCell):
    """A cell with the parameters and states of another one, which cannot be called by itself any more."""

    def __init__(self, base_cell: BaseRNNCell) -> None:
        super().__init__()
        base_cell._modified = True
        self.base_cell = base_cell

    @property
    def params(self) -> RNNParams:
        """The variables of the cell below."""
        self._own_params = False
        return self.base_cell.params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the states of the cell below."""
        return self.base_cell.state_info

    def begin_state(self, init_sym: Any = sym.zeros, **kwargs: Any) -> list[Symbol]:  # type: ignore[override]
        """Return the first states of the cell below. Raises AssertionError if another cell modifies this one."""
        if self._modified:
            raise AssertionError(f"{type(self).__name__} is modified itself: call the modifier cell instead")
        self.base_cell._modified = False
        try:
            return self.base_cell.begin_state(func=init_sym, **kwargs)
        finally:
            self.base_cell._modified = True

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with those of the cell below taken apart gate by gate."""
        return self.base_cell.unpack_weights(args)

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with the gates of the cell below joined."""
        return self.base_cell.pack_weights(args)


class ZoneoutCell(ModifierCell):
    """Keeps elements of the output and states before, at random. Raises AssertionError for a fused cell."""

    def __init__(self, base_cell: BaseRNNCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0) -> None:
        if isinstance(base_cell, FusedRNNCell):
            raise AssertionError("FusedRNNCell doesn't support zoneout. Please unfuse first.")
        if isinstance(base_cell, BidirectionalCell):
            raise AssertionError("BidirectionalCell doesn't support zoneout. Please add ZoneoutCell to its cells.")
        super().__init__(base_cell)
        self.zoneout_outputs, self.zoneout_states = zoneout_outputs, zoneout_states
        self.prev_output: Symbol | None = None

    def reset(self) -> None:
        """Forget the steps that ran."""
        super().reset()
        self.prev_output = None

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        output, after = self.base_cell(inputs, states)
        before = sym.zeros_like(output) if self.prev_output is None else self.prev_output
        output = _mixed(output, before, self.zoneout_outputs)
        self.prev_output = output
        pairs = zip(after, states, strict=True)
        return output, [_mixed(new, old, self.zoneout_states) for new, old in pairs]


def _mixed(new: Symbol, old: Symbol, probability: float) -> Symbol:
    if probability == 0:
        return new
    mixed: Symbol = sym.where(sym.Dropout(sym.ones_like(new), p=probability), new, old)
    return mixed


class ResidualCell(ModifierCell):
    """Adds the input to the output."""

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        output, states = self.base_cell(inputs, states)
        return sym.elemwise_add(output, inputs, name=f"{output.name}_plus_residual"), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: _States | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, _States]:
        """Run the cell below over all steps and add the inputs."""
        self.reset()
        self.base_cell._modified = False
        outputs, states = self.base_cell.unroll(length, inputs, begin_state, layout, merge_outputs)
        self.base_cell._modified = True
        merged = isinstance(outputs, Symbol) if merge_outputs is None else merge_outputs
        inputs, _ = arrange(length, inputs, layout, merged)
        if merged:
            return sym.elemwise_add(outputs, inputs, name=f"{outputs.name}_plus_residual"), states
        pairs = zip(outputs, inputs, strict=True)
        return [sym.elemwise_add(y, x, name=f"{y.name}_plus_residual") for y, x in pairs], states
