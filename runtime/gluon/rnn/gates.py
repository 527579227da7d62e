"""The cells with weights: RNN, LSTM and GRU."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.param import Parameter
    from hybridlint.runtime.gluon.param_dict import ParameterDict


class _GatedCell(HybridRecurrentCell):
    """A cell with `gates` gates, each fed by the input (i2h) and by the last output (h2h)."""

    _gates_: int
    i2h_weight: Parameter
    h2h_weight: Parameter
    i2h_bias: Parameter
    h2h_bias: Parameter

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        input_size: int,
        prefix: str | None,
        params: ParameterDict | None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size = hidden_size
        self._input_size = input_size
        width = self._gates_ * hidden_size

        def param(name: str, shape: tuple[int, ...], init: Any) -> Parameter:
            return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

        self.i2h_weight = param("i2h_weight", (width, input_size), i2h_weight_initializer)
        self.h2h_weight = param("h2h_weight", (width, hidden_size), h2h_weight_initializer)
        self.i2h_bias = param("i2h_bias", (width,), i2h_bias_initializer)
        self.h2h_bias = param("h2h_bias", (width,), h2h_bias_initializer)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape (batch, hidden) of each state."""
        return [{"shape": (batch_size, self._hidden_size), "__layout__": "NC"}]

    def _project_(self, F: Any, inputs: Any, state: Any, weights: tuple[Any, ...]) -> tuple[Any, Any]:
        width = self._gates_ * self._hidden_size
        step = self._step_
        i2h_weight, h2h_weight, i2h_bias, h2h_bias = weights
        i2h = F.FullyConnected(inputs, i2h_weight, i2h_bias, num_hidden=width, name=step + "i2h")
        h2h = F.FullyConnected(state, h2h_weight, h2h_bias, num_hidden=width, name=step + "h2h")
        return i2h, h2h

    def __repr__(self) -> str:
        shape = self.i2h_weight.shape
        assert shape is not None
        inner = shape[1] or None
        extra = f", {self._activation}" if isinstance(self, RNNCell) else ""
        return f"{type(self).__name__}({inner} -> {shape[0]}{extra})"


class RNNCell(_GatedCell):
    """``activation(W x + U h + b)``."""

    _gates_ = 1

    def __init__(
        self,
        hidden_size: int,
        activation: Any = "tanh",
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            hidden_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            input_size,
            prefix,
            params,
        )
        self._activation = activation

    def _alias(self) -> str:
        return "rnn"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Return the output (batch, hidden) and the states ``[output]``."""
        weights = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._project_(F, inputs, states[0], weights)
        total = F.elemwise_add(i2h, h2h, name=self._step_ + "plus0")
        output = self._get_activation(F, total, self._activation, name=self._step_ + "out")
        return output, [output]


class LSTMCell(_GatedCell):
    """Long short-term memory. Gates: input, forget, cell, output. States: output and memory."""

    _gates_ = 4

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
        activation: Any = "tanh",
        recurrent_activation: Any = "sigmoid",
    ) -> None:
        super().__init__(
            hidden_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            input_size,
            prefix,
            params,
        )
        self._activation = activation
        self._recurrent_activation = recurrent_activation

    def _alias(self) -> str:
        return "lstm"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape (batch, hidden) of output and memory."""
        return [*super().state_info(batch_size), *super().state_info(batch_size)]

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Return the output (batch, hidden) and the states ``[output, memory]``."""
        step = self._step_
        weights = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._project_(F, inputs, states[0], weights)
        gates = F.elemwise_add(i2h, h2h, name=step + "plus0")
        inlet, forget, cell, outlet = F.SliceChannel(gates, num_outputs=4, name=step + "slice")
        inlet = self._get_activation(F, inlet, self._recurrent_activation, name=step + "i")
        forget = self._get_activation(F, forget, self._recurrent_activation, name=step + "f")
        cell = self._get_activation(F, cell, self._activation, name=step + "c")
        outlet = self._get_activation(F, outlet, self._recurrent_activation, name=step + "o")
        memory = F.elemwise_add(
            F.elemwise_mul(forget, states[1], name=step + "mul0"),
            F.elemwise_mul(inlet, cell, name=step + "mul1"),
            name=step + "state",
        )
        shown = F.Activation(memory, act_type=self._activation, name=step + "activation0")
        output = F.elemwise_mul(outlet, shown, name=step + "out")
        return output, [output, memory]


class GRUCell(_GatedCell):
    """Gated recurrent unit. Gates: reset, update, and the candidate state."""

    _gates_ = 3

    def __init__(
        self,
        hidden_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(
            hidden_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            input_size,
            prefix,
            params,
        )

    def _alias(self) -> str:
        return "gru"

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Return the output (batch, hidden) and the states ``[output]``."""
        step, last = self._step_, states[0]
        weights = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._project_(F, inputs, last, weights)
        i2h_r, i2h_z, i2h_h = F.SliceChannel(i2h, num_outputs=3, name=step + "i2h_slice")
        h2h_r, h2h_z, h2h_h = F.SliceChannel(h2h, num_outputs=3, name=step + "h2h_slice")

        def gate(total: Any, kind: str, name: str) -> Any:
            return F.Activation(total, act_type=kind, name=step + name)

        reset = gate(F.elemwise_add(i2h_r, h2h_r, name=step + "plus0"), "sigmoid", "r_act")
        update = gate(F.elemwise_add(i2h_z, h2h_z, name=step + "plus1"), "sigmoid", "z_act")
        kept = F.elemwise_mul(reset, h2h_h, name=step + "mul0")
        candidate = gate(F.elemwise_add(i2h_h, kept, name=step + "plus2"), "tanh", "h_act")
        fresh = F.elemwise_sub(F.ones_like(update, name=step + "ones_like0"), update, name=step + "minus0")
        output = F.elemwise_add(
            F.elemwise_mul(fresh, candidate, name=step + "mul1"),
            F.elemwise_mul(update, last, name=step + "mul20"),
            name=step + "out",
        )
        return output, [output]
