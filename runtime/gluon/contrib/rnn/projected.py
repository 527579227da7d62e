"""LSTM whose output is projected to fewer dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.param import Parameter
    from hybridlint.runtime.gluon.param_dict import ParameterDict


class LSTMPCell(HybridRecurrentCell):
    """Long short-term memory of `hidden_size`, whose output (and first state) is projected to `projection_size`."""

    def __init__(
        self,
        hidden_size: int,
        projection_size: int,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        h2r_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        self._hidden_size = hidden_size
        self._input_size = input_size
        self._projection_size = projection_size
        width = 4 * hidden_size

        def param(name: str, shape: tuple[int, ...], init: Any) -> Parameter:
            return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

        self.i2h_weight = param("i2h_weight", (width, input_size), i2h_weight_initializer)
        self.h2h_weight = param("h2h_weight", (width, projection_size), h2h_weight_initializer)
        self.h2r_weight = param("h2r_weight", (projection_size, hidden_size), h2r_weight_initializer)
        self.i2h_bias = param("i2h_bias", (width,), i2h_bias_initializer)
        self.h2h_bias = param("h2h_bias", (width,), h2h_bias_initializer)

    def _alias(self) -> str:
        return "lstmp"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shapes (batch, projection) of the output and (batch, hidden) of the memory."""
        sizes = (self._projection_size, self._hidden_size)
        return [{"shape": (batch_size, size), "__layout__": "NC"} for size in sizes]

    def hybrid_forward(
        self,
        F: Any,
        inputs: Any,
        states: Any,
        i2h_weight: Any,
        h2h_weight: Any,
        h2r_weight: Any,
        i2h_bias: Any,
        h2h_bias: Any,
    ) -> Any:
        """Return the output (batch, projection) and the states ``[output, memory]``."""
        step, width = self._step_, 4 * self._hidden_size
        i2h = F.FullyConnected(inputs, i2h_weight, i2h_bias, num_hidden=width, name=step + "i2h")
        h2h = F.FullyConnected(states[0], h2h_weight, h2h_bias, num_hidden=width, name=step + "h2h")
        inlet, forget, cell, outlet = F.SliceChannel(i2h + h2h, num_outputs=4, name=step + "slice")
        inlet = F.Activation(inlet, act_type="sigmoid", name=step + "i")
        forget = F.Activation(forget, act_type="sigmoid", name=step + "f")
        cell = F.Activation(cell, act_type="tanh", name=step + "c")
        outlet = F.Activation(outlet, act_type="sigmoid", name=step + "o")
        memory = F.elemwise_add(forget * states[1], inlet * cell, name=step + "state")
        hidden = F.elemwise_mul(outlet, F.Activation(memory, act_type="tanh"), name=step + "hidden")
        output = F.FullyConnected(hidden, h2r_weight, num_hidden=self._projection_size, no_bias=True, name=step + "out")
        return output, [output, memory]

    def __repr__(self) -> str:
        width, inner = self.i2h_weight.shape or (0, 0)
        return f"{type(self).__name__}({inner or None} -> {width} -> {self._projection_size})"
