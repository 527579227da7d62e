"""Cells that modify another cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell
from hybridlint.runtime.gluon.rnn.steps import arrange, mask

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.gluon.param_dict import ParameterDict


class DropoutCell(HybridRecurrentCell):
    """Dropout of the input in each step; it has no states."""

    def __init__(
        self, rate: float, axes: Sequence[int] = (), prefix: str | None = None, params: ParameterDict | None = None
    ) -> None:
        super().__init__(prefix, params)
        if not isinstance(rate, (int, float)):
            raise AssertionError("rate must be a number")
        self._rate = rate
        self._axes = axes

    def _alias(self) -> str:
        return "dropout"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return no states."""
        return []

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return the input with dropout, and the states."""
        if self._rate > 0:
            inputs = F.Dropout(inputs, p=self._rate, axes=self._axes, name=self._step_ + "fwd")
        return inputs, states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Run over all steps. If the sequence is a single tensor, dropout is applied to it once."""
        self.reset()
        steps = arrange(length, inputs, layout, merge_outputs)
        if isinstance(steps.value, arrays.tensor_types):
            return self.hybrid_forward(steps.F, steps.value, begin_state or [])  # type: ignore[no-any-return]
        return super().unroll(length, inputs, begin_state, layout, merge_outputs, valid_length=None)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(rate={self._rate}, axes={self._axes})"


class ModifierCell(HybridRecurrentCell):
    """Base of cells that wrap another cell and use its parameters and states."""

    def __init__(self, base_cell: HybridRecurrentCell) -> None:
        if base_cell._modified:
            raise AssertionError(f"Cell {base_cell.name} is already modified. One cell cannot be modified twice")
        base_cell._modified = True
        super().__init__(prefix=base_cell.prefix + self._alias(), params=None)
        self.base_cell = base_cell

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Compute output and states of one step. Subclasses override this."""
        raise NotImplementedError(f"{type(self).__name__} does not implement hybrid_forward")

    @property
    def params(self) -> ParameterDict:
        """The parameters of the wrapped cell."""
        return self.base_cell.params

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the states of the wrapped cell."""
        return self.base_cell.state_info(batch_size)

    def begin_state(self, func: Any = None, **kwargs: Any) -> list[Any]:  # type: ignore[override]
        """Return the initial states of the wrapped cell."""
        if self._modified:
            raise AssertionError("After applying modifier cells the base cell cannot be called directly.")
        self.base_cell._modified = False
        try:
            # Symbols unless told otherwise, as on MXNet.
            make = func or arrays.operator_namespace(symbolic=True).zeros
            return self.base_cell.begin_state(func=make, **kwargs)
        finally:
            self.base_cell._modified = True

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.base_cell})"


class ZoneoutCell(ModifierCell):
    """In train mode, keeps random elements of the previous output and states."""

    def __init__(
        self, base_cell: HybridRecurrentCell, zoneout_outputs: float = 0.0, zoneout_states: float = 0.0
    ) -> None:
        super().__init__(base_cell)
        self.zoneout_outputs = zoneout_outputs
        self.zoneout_states = zoneout_states
        self._prev_output: Any = None

    def _alias(self) -> str:
        return "zoneout"

    def reset(self) -> None:
        """Discard the previous output, and reset the cell below."""
        super().reset()
        self._prev_output = None

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return output and states with some elements from the previous step."""
        output, new = self.base_cell(inputs, states)

        def mixed(rate: float, fresh: Any, old: Any) -> Any:
            return F.where(F.Dropout(F.ones_like(fresh), p=rate), fresh, old)

        before = F.zeros_like(output) if self._prev_output is None else self._prev_output
        if self.zoneout_outputs != 0.0:
            output = mixed(self.zoneout_outputs, output, before)
        if self.zoneout_states != 0.0:
            new = [mixed(self.zoneout_states, fresh, old) for fresh, old in zip(new, states, strict=True)]
        self._prev_output = output
        return output, new

    def __repr__(self) -> str:
        return f"{type(self).__name__}(p_out={self.zoneout_outputs}, p_state={self.zoneout_states}, {self.base_cell})"


class ResidualCell(ModifierCell):
    """Adds the input to the output."""

    def hybrid_forward(self, F: Any, inputs: Any, states: Any) -> Any:
        """Return ``output + inputs`` and the states."""
        output, states = self.base_cell(inputs, states)
        return F.elemwise_add(output, inputs, name=self._step_ + "fwd"), states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Unroll the wrapped cell, and add the inputs to its outputs."""
        self.reset()
        self.base_cell._modified = False
        outputs, states = self.base_cell.unroll(length, inputs, begin_state, layout, merge_outputs, valid_length)
        self.base_cell._modified = True
        merged = isinstance(outputs, arrays.tensor_types)
        steps = arrange(length, inputs, layout, merged)
        added = steps.value
        if valid_length is not None:
            added = mask(steps.F, added, length, valid_length, steps.axis, merged)
        if merged:
            return steps.F.elemwise_add(outputs, added), states
        return [steps.F.elemwise_add(o, i) for o, i in zip(outputs, added, strict=True)], states
