"""The base class of recurrent cells: states and unrolling over time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.nn.activations import LeakyReLU
from hybridlint.runtime.gluon.plain_block import Block
from hybridlint.runtime.gluon.rnn.steps import Steps, arrange, mask

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.param_dict import ParameterDict


class RecurrentCell(Block):
    """One step of a recurrent network: ``output, states = cell(input, states)``."""

    def __init__(self, prefix: str | None = None, params: ParameterDict | None = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Reset the step counter, which is part of operator names."""
        self._init_counter = -1
        self._counter = -1
        for cell in self._children.values():
            if isinstance(cell, RecurrentCell):
                cell.reset()

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return shape and layout of each state."""
        raise NotImplementedError(f"{type(self).__name__} does not implement state_info")

    def begin_state(self, batch_size: int = 0, func: Any = None, **kwargs: Any) -> list[Any]:
        """Return the initial states, created by `func` (default: zeros) from their shapes and the keyword arguments.

        Raises AssertionError for a cell wrapped by a modifier: call the modifier's begin_state instead.
        """
        if self._modified:
            raise AssertionError(
                "After applying modifier cells (e.g. ZoneoutCell) the base cell cannot be called directly. Call the "
                "modifier cell instead."
            )
        states = []
        for info in self.state_info(batch_size):
            self._init_counter += 1
            states.append(_make_state(func, f"{self._prefix}begin_state_{self._init_counter}", {**info, **kwargs}))
        return states

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Any = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
        valid_length: Any = None,
    ) -> tuple[Any, Any]:
        """Run the cell over `length` steps. Returns outputs (one tensor or a list of steps) and the last states.

        With `valid_length` (batch,), later outputs are zeros and the states are those of the last valid step.
        """
        self.reset()
        steps = arrange(length, inputs, layout, merge=False)
        F, states = steps.F, self._first_states_(steps, begin_state)
        outputs, history = [], []
        for k in range(length):
            output, states = self(steps.value[k], states)
            outputs.append(output)
            history.append(states)
        if valid_length is None:
            return arrange(length, outputs, layout, merge_outputs).value, states
        last = [
            F.SequenceLast(F.stack(*values, axis=0), sequence_length=valid_length, use_sequence_length=True, axis=0)
            for values in zip(*history, strict=True)
        ]
        masked = mask(F, outputs, length, valid_length, steps.axis, merge=True)
        return arrange(length, masked, layout, merge_outputs).value, last

    def _first_states_(self, steps: Steps, given: Any) -> Any:
        if given is not None:
            return given
        first = steps.value[0]
        if isinstance(first, arrays.NDArray):
            # As in MXNet they are float32, whatever the dtype of the inputs.
            return self.begin_state(batch_size=steps.batch_size, func=steps.F.zeros, ctx=first.context)
        return self.begin_state(batch_size=0, func=steps.F.zeros)

    @staticmethod
    def _get_activation(F: Any, inputs: Any, activation: Any, **kwargs: Any) -> Any:
        """Apply an activation given as a name, a LeakyReLU, or any callable."""
        if activation in {"tanh", "relu", "sigmoid", "softsign"}:
            return getattr(F, activation)(inputs, **kwargs)
        if isinstance(activation, str):
            return F.Activation(inputs, act_type=activation, **kwargs)
        if isinstance(activation, LeakyReLU):
            return F.LeakyReLU(inputs, act_type="leaky", slope=activation._alpha, **kwargs)
        return activation(inputs)

    def forward(self, inputs: Any, states: Any) -> Any:
        """Run one step."""
        self._counter += 1
        return super().forward(inputs, states)


class HybridRecurrentCell(RecurrentCell, HybridBlock):
    """A recurrent cell that can be compiled."""

    def hybrid_forward(self, F: Any, x: Any, *args: Any, **kwargs: Any) -> Any:
        """Compute output and states of one step. Subclasses override this."""
        raise NotImplementedError(f"{type(self).__name__} does not implement hybrid_forward")

    @property
    def _step_(self) -> str:
        """The prefix of this step's operator names."""
        return f"t{self._counter}_"


def _make_state(func: Any, name: str, given: dict[str, Any]) -> Any:
    if func is None:
        func = arrays.operator_namespace(symbolic=False).zeros
    return func(name=name, **given)
