"""The gate computations of symbolic cells, independent of how gates are connected to input and state."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.rnn.recurrent import BaseRNNCell
from hybridlint.runtime.symbol import Symbol

_States = Sequence[Symbol]


class Gated(BaseRNNCell):
    """Base of recurrent cells whose gates are computed from the input and the previous state.

    Subclasses define `_connected`, which computes all gates at once, and `_sliced`, which splits them. `_activation` is
    applied to the new output.
    """

    _activation: Any

    def _connected(self, inputs: Symbol, state: Symbol, name: str) -> tuple[Symbol, Symbol]:
        """Return the part of all gates that is computed from the input, and the part computed from the state."""
        raise NotImplementedError(f"{type(self).__name__} does not say what its gates are connected to")

    def _sliced(self, gates: Symbol, name: str) -> Symbol:
        """Return the gates as separate outputs of one symbol."""
        raise NotImplementedError(f"{type(self).__name__} does not say how its gates are taken apart")


class Plain(Gated):
    """A plain recurrent cell."""

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("",)

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        name = self._step_name()
        i2h, h2h = self._connected(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LongShortTerm(Gated):
    """A cell of long short-term memory."""

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of output and memory."""
        return super().state_info * 2

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("_i", "_f", "_c", "_o")

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        name = self._step_name()
        i2h, h2h = self._connected(inputs, states[0], name)
        gates = self._sliced(i2h + h2h, f"{name}slice")
        enter = sym.Activation(gates[0], act_type="sigmoid", name=f"{name}i")
        forget = sym.Activation(gates[1], act_type="sigmoid", name=f"{name}f")
        new = self._get_activation(gates[2], self._activation, name=f"{name}c")
        leave = sym.Activation(gates[3], act_type="sigmoid", name=f"{name}o")
        memory = sym.elemwise_add(forget * states[1], enter * new, name=f"{name}state")
        output = sym.elemwise_mul(leave, self._get_activation(memory, self._activation), name=f"{name}out")
        return output, [output, memory]


class GatedUnit(Gated):
    """A gated recurrent unit. Its gates lie along axis 1 in every layout, as in MXNet."""

    #: The prefix of its connections' names.
    _mark = ""

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("_r", "_z", "_o")

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        name = self._step_name()
        before = states[0]
        i2h, h2h = self._connected(inputs, before, f"{name}{self._mark}")
        from_input = sym.SliceChannel(i2h, num_outputs=3, name=f"{name}_i2h_slice")
        from_state = sym.SliceChannel(h2h, num_outputs=3, name=f"{name}_h2h_slice")
        reset = sym.Activation(from_input[0] + from_state[0], act_type="sigmoid", name=f"{name}_r_act")
        update = sym.Activation(from_input[1] + from_state[1], act_type="sigmoid", name=f"{name}_z_act")
        mixed = from_input[2] + reset * from_state[2]
        new = self._get_activation(mixed, self._activation, name=f"{name}_h_act")
        output = sym.elemwise_add((1.0 - update) * new, update * before, name=f"{name}out")
        return output, [output]
