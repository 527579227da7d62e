"""The cell that drops elements of its input."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, RNNParams
from hybridlint.runtime.rnn.steps import arrange
from hybridlint.runtime.symbol import Symbol

_States = Sequence[Symbol]


class DropoutCell(BaseRNNCell):
    """Drops elements of its input; it has no state."""

    def __init__(self, dropout: float, prefix: str = "dropout_", params: RNNParams | None = None) -> None:
        super().__init__(prefix, params)
        self.dropout = dropout

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """No state."""
        return []

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return the input with elements dropped, and the states."""
        return (sym.Dropout(data=inputs, p=self.dropout) if self.dropout > 0 else inputs), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: _States | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, _States]:
        """Drop elements of all steps, at once where they are one symbol."""
        self.reset()
        inputs, _ = arrange(length, inputs, layout, merge_outputs)
        if isinstance(inputs, Symbol):
            return self(inputs, [])
        return super().unroll(length, inputs, begin_state, layout, merge_outputs)
