"""Symbolic cells with dense connections: plain, LSTM and GRU."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.initializer import LSTMBias
from hybridlint.runtime.rnn.gated import Gated, GatedUnit, LongShortTerm, Plain
from hybridlint.runtime.rnn.recurrent import RNNParams
from hybridlint.runtime.symbol import Symbol


class _DenseCell(Gated):
    """A cell with gates that are dense layers of the input and the previous state."""

    _activation: Any = "tanh"

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
        """Return the contributions of input and state to all gates."""
        size = self._num_hidden * len(self._gate_names)
        i2h = sym.FullyConnected(data=inputs, weight=self._iW, bias=self._iB, num_hidden=size, name=f"{name}i2h")
        h2h = sym.FullyConnected(data=state, weight=self._hW, bias=self._hB, num_hidden=size, name=f"{name}h2h")
        return i2h, h2h

    def _sliced(self, gates: Symbol, name: str) -> Symbol:
        sliced: Symbol = sym.SliceChannel(gates, num_outputs=len(self._gate_names), name=name)
        return sliced


class RNNCell(Plain, _DenseCell):
    """A plain recurrent cell."""

    def __init__(
        self, num_hidden: int, activation: Any = "tanh", prefix: str = "rnn_", params: RNNParams | None = None
    ) -> None:
        super().__init__(num_hidden, prefix, params)
        self._activation = activation


class LSTMCell(LongShortTerm, _DenseCell):
    """A cell of long short-term memory; `forget_bias` is added to the bias of its forget gate at the start."""

    def __init__(
        self, num_hidden: int, prefix: str = "lstm_", params: RNNParams | None = None, forget_bias: float = 1.0
    ) -> None:
        super().__init__(num_hidden, prefix, params, bias=LSTMBias(forget_bias=forget_bias))


class GRUCell(GatedUnit, _DenseCell):
    """A gated recurrent unit."""

    _mark = "_"

    def __init__(self, num_hidden: int, prefix: str = "gru_", params: RNNParams | None = None) -> None:
        super().__init__(num_hidden, prefix, params)
