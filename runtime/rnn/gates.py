"""Symbolic cells with dense connections: plain, LSTM and GRU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.initializer import LSTMBias
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, RNNParams
from hybridlint.runtime.symbol import Symbol

_States = Sequence[Symbol]


class _DenseCell(BaseRNNCell):
    """A cell whose gates are dense in the input and the state before."""

    def __init__(self, num_hidden: int, prefix: str, params: RNNParams | None, bias: Any = None) -> None:
        super().__init__(prefix=prefix, params=params)
        self._num_hidden = num_hidden
        extra = {} if bias is None else {"init": bias}
        self._iW, self._iB = self.params.get("i2h_weight"), self._params.get("i2h_bias", **extra)
        self._hW, self._hB = self._params.get("h2h_weight"), self._params.get("h2h_bias")
        self._own_params = params is None

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the only state."""
        return [{"shape": (0, self._num_hidden), "__layout__": "NC"}]

    def _connected(self, inputs: Symbol, state: Symbol, name: str) -> tuple[Symbol, Symbol]:
        """Return what input and state contribute to all gates."""
        size = self._num_hidden * len(self._gate_names)
        i2h = sym.FullyConnected(data=inputs, weight=self._iW, bias=self._iB, num_hidden=size, name=f"{name}i2h")
        h2h = sym.FullyConnected(data=state, weight=self._hW, bias=self._hB, num_hidden=size, name=f"{name}h2h")
        return i2h, h2h


class RNNCell(_DenseCell):
    """A plain recurrent cell."""

    def __init__(
        self, num_hidden: int, activation: Any = "tanh", prefix: str = "rnn_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("",)

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        name = self._step_name()
        i2h, h2h = self._connected(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class LSTMCell(_DenseCell):
    """A cell of long short-term memory; `forget_bias` is added to the bias of its forget gate at the start."""

    def __init__(
        self, num_hidden: int, prefix: str = "lstm_", params: RNNParams | None = None, forget_bias: float = 1.0
    ) -> None:
        super().__init__(num_hidden, prefix, params, bias=LSTMBias(forget_bias=forget_bias))

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
        gates = sym.SliceChannel(i2h + h2h, num_outputs=4, name=f"{name}slice")
        enter = sym.Activation(gates[0], act_type="sigmoid", name=f"{name}i")
        forget = sym.Activation(gates[1], act_type="sigmoid", name=f"{name}f")
        new = sym.Activation(gates[2], act_type="tanh", name=f"{name}c")
        leave = sym.Activation(gates[3], act_type="sigmoid", name=f"{name}o")
        memory = sym.elemwise_add(forget * states[1], enter * new, name=f"{name}state")
        output = sym.elemwise_mul(leave, sym.Activation(memory, act_type="tanh"), name=f"{name}out")
        return output, [output, memory]


class GRUCell(_DenseCell):
    """A gated recurrent unit."""

    def __init__(self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None) -> None:
        super().__init__(num_hidden, prefix, params)

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("_r", "_z", "_o")

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        name = self._step_name()
        before = states[0]
        i2h, h2h = self._connected(inputs, before, name)
        from_input = sym.SliceChannel(i2h, num_outputs=3, name=f"{name}_i2h_slice")
        from_state = sym.SliceChannel(h2h, num_outputs=3, name=f"{name}_h2h_slice")
        reset = sym.Activation(from_input[0] + from_state[0], act_type="sigmoid", name=f"{name}_r_act")
        update = sym.Activation(from_input[1] + from_state[1], act_type="sigmoid", name=f"{name}_z_act")
        new = sym.Activation(from_input[2] + reset * from_state[2], act_type="tanh", name=f"{name}_h_act")
        output = sym.elemwise_add((1.0 - update) * new, update * before, name=f"{name}out")
        return output, [output]
