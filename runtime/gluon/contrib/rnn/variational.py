"""Variational dropout: the same elements are dropped at every step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.rnn.modifiers import ModifierCell
from hybridlint.runtime.gluon.rnn.steps import arrange

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell


class VariationalDropoutCell(ModifierCell):
    """Drops the same random elements of input, state and output at every step, until `reset`."""

    def __init__(
        self,
        base_cell: HybridRecurrentCell,
        drop_inputs: float = 0.0,
        drop_states: float = 0.0,
        drop_outputs: float = 0.0,
    ) -> None:
        self._masks_: dict[str, Any] = {}
        super().__init__(base_cell)
        self.drop_inputs = drop_inputs
        self.drop_states = drop_states
        self.drop_outputs = drop_outputs

    def _alias(self) -> str:
        return "vardrop"

    def reset(self) -> None:
        """Draw new masks from now on."""
        super().reset()
        self._masks_ = {}

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return the output and states of the wrapped cell, with dropout applied."""
        if self.drop_states:
            states = [self._dropped_(F, "states", states[0], self.drop_states), *states[1:]]
        if self.drop_inputs:
            inputs = self._dropped_(F, "inputs", inputs, self.drop_inputs)
        output, states = self.base_cell(inputs, states)
        if self.drop_outputs:
            output = self._dropped_(F, "outputs", output, self.drop_outputs)
        return output, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Run over all steps. Without dropout of states, inputs and outputs are dropped as whole sequences."""
        if self.drop_states:
            return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.reset()
        steps = arrange(length, inputs, layout, merge=True)
        value = self._along_time_(steps.F, steps.value, self.drop_inputs, steps.axis)
        self.base_cell._modified = False
        outputs, states = self.base_cell.unroll(length, value, begin_state, layout, True, valid_length)
        self.base_cell._modified = True
        outputs = self._along_time_(steps.F, outputs, self.drop_outputs, steps.axis)
        wanted = isinstance(inputs, arrays.tensor_types) if merge_outputs is None else merge_outputs
        return arrange(length, outputs, layout, wanted).value, states

    def _dropped_(self, F: Any, what: str, value: Any, rate: float) -> Any:
        if what not in self._masks_:
            self._masks_[what] = F.Dropout(F.ones_like(value), p=rate)
        return value * self._masks_[what]

    @staticmethod
    def _along_time_(F: Any, value: Any, rate: float, axis: int) -> Any:
        return F.Dropout(value, p=rate, axes=(axis,)) if rate else value

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out = {self.drop_outputs}, p_state = {self.drop_states})"
