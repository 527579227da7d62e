"""Recurrent layers: whole sequences in one operator, stacked and in one or two directions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon import arrays
from hybridlint.runtime.gluon.hybrid_block import HybridBlock
from hybridlint.runtime.gluon.rnn.containers import BidirectionalCell, HybridSequentialRNNCell
from hybridlint.runtime.gluon.rnn.gates import GRUCell, LSTMCell, RNNCell
from hybridlint.runtime.gluon.rnn.modifiers import DropoutCell
from hybridlint.runtime.util import is_np_array

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.param import Parameter
    from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


class _RNNLayer(HybridBlock):
    """Base of all recurrent layers. Layouts: TNC (time, batch, channels) or NTC."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int,
        layout: str,
        dropout: float,
        bidirectional: bool,
        input_size: int,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        mode: str,
        projection_size: int | None = None,
        h2r_weight_initializer: Any = None,
        lstm_state_clip_min: float | None = None,
        lstm_state_clip_max: float | None = None,
        lstm_state_clip_nan: bool = False,
        dtype: Any = "float32",
        use_sequence_length: bool = False,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if layout not in {"TNC", "NTC"}:
            raise AssertionError(f"Invalid layout {layout}; must be one of ['TNC' or 'NTC']")
        self._hidden_size = hidden_size
        self._projection_size = projection_size or None
        self._num_layers = num_layers
        self._mode = mode
        self._layout = layout
        self._dropout = dropout
        self._dir = 2 if bidirectional else 1
        self._input_size = input_size
        self._gates = _GATES[mode]
        self._dtype = dtype
        self._use_sequence_length = use_sequence_length
        self._clip_ = {
            "lstm_state_clip_min": lstm_state_clip_min,
            "lstm_state_clip_max": lstm_state_clip_max,
            "lstm_state_clip_nan": lstm_state_clip_nan,
        }
        self.skip_states: bool | None = None
        self._register_(
            {
                "i2h_weight": i2h_weight_initializer,
                "h2h_weight": h2h_weight_initializer,
                "i2h_bias": i2h_bias_initializer,
                "h2h_bias": h2h_bias_initializer,
                "h2r_weight": h2r_weight_initializer,
            }
        )

    @property
    def _output_size_(self) -> int:
        return self._projection_size or self._hidden_size

    def _register_(self, initializers: dict[str, Any]) -> None:
        width, inner = self._gates * self._hidden_size, self._input_size
        for layer in range(self._num_layers):
            shapes: dict[str, tuple[int, ...]] = {
                "i2h_weight": (width, inner),
                "h2h_weight": (width, self._output_size_),
                "i2h_bias": (width,),
                "h2h_bias": (width,),
            }
            if self._projection_size:
                shapes["h2r_weight"] = (self._projection_size, self._hidden_size)
            for direction in ("l", "r")[: self._dir]:
                for name, shape in shapes.items():
                    full = f"{direction}{layer}_{name}"
                    param = self.params.get(
                        full, shape=shape, init=initializers[name], allow_deferred_init=True, dtype=self._dtype
                    )
                    setattr(self, full, param)
            inner = self._output_size_ * self._dir

    def _collect_params_with_prefix(self, prefix: str = "") -> dict[str, Parameter]:
        """Return parameters by their names in files: those of the equivalent cells."""
        prefix += "." if prefix else ""

        def place(name: str) -> str:
            found = re.fullmatch(r"([lr])(\d+)_(\w+)", name)
            assert found is not None
            direction, layer, rest = found.groups()
            return f"{prefix}_unfused.{layer}.{direction + '_cell.' if self._dir == 2 else ''}{rest}"

        return {place(name): param for name, param in self._reg_params.items()}

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return shape (layers times directions, batch, hidden), layout and dtype of each state."""
        count = self._num_layers * self._dir
        sizes = [self._output_size_, self._hidden_size] if self._mode == "lstm" else [self._hidden_size]
        return [{"shape": (count, batch_size, size), "__layout__": "LNC", "dtype": self._dtype} for size in sizes]

    def begin_state(self, batch_size: int = 0, func: Any = None, **kwargs: Any) -> list[Any]:
        """Return the initial states, created by `func` (default: zeros)."""
        make = func or arrays.operator_namespace(symbolic=False).zeros
        infos = enumerate(self.state_info(batch_size))
        states = [make(name=f"{self.prefix}h0_{k}", **{**info, **kwargs}) for k, info in infos]
        return [state.as_np_ndarray() for state in states] if is_np_array() else states

    def cast(self, dtype: Any) -> None:
        """Change the dtype of parameters and states."""
        super().cast(dtype)
        self._dtype = dtype

    def __call__(self, inputs: Any, states: Any = None, sequence_length: Any = None, **kwargs: Any) -> Any:  # type: ignore[override]
        """Run the sequence. Without `states` only outputs are returned, otherwise outputs and new states."""
        self.skip_states = states is None
        if states is None:
            states = self._zero_states_(inputs)
        if isinstance(states, arrays.tensor_types):
            states = [states]
        if self._use_sequence_length:
            return super().__call__(inputs, states, sequence_length, **kwargs)
        return super().__call__(inputs, states, **kwargs)

    def _zero_states_(self, inputs: Any) -> list[Any]:
        if isinstance(inputs, arrays.NDArray):
            batch_size = inputs.shape[self._layout.find("N")]
            return self.begin_state(batch_size, ctx=inputs.context, dtype=inputs.dtype)
        # A size of 0 is inferred later. In numpy mode it means 0, so MXNet's layers reject their own states there.
        return self.begin_state(0, func=arrays.operator_namespace(symbolic=True).zeros)

    def hybrid_forward(  # type: ignore[override]
        self, F: Any, inputs: Any, states: Any, sequence_length: Any = None, **kwargs: Any
    ) -> Any:
        """Return the outputs, and the states if states were given. Raises ValueError for states of a wrong shape."""
        if isinstance(inputs, arrays.NDArray):
            self._check_states_(states, inputs.shape[self._layout.find("N")])
        outputs, new = self._run_(F, inputs, states, sequence_length, kwargs)
        return outputs if self.skip_states else (outputs, new)

    def _check_states_(self, states: Any, batch_size: int) -> None:
        for state, info in zip(states, self.state_info(batch_size), strict=True):
            if state.shape != info["shape"]:
                raise ValueError(f"Invalid recurrent state shape. Expecting {info['shape']}, got {state.shape}.")

    def _run_(self, F: Any, x: Any, states: Any, lengths: Any, params: dict[str, Any]) -> tuple[Any, list[Any]]:
        if self._layout == "NTC":
            x = _swapped(F, x)
        packed = _packed(F, [params[name] for name in self._packing_order_()])
        extra = {"sequence_length": lengths} if self._use_sequence_length else {}
        outputs, *new = arrays.operators(F).RNN(
            x,
            packed,
            *states,
            **extra,
            use_sequence_length=self._use_sequence_length,
            state_size=self._hidden_size,
            projection_size=self._projection_size,
            num_layers=self._num_layers,
            bidirectional=self._dir == 2,
            p=self._dropout,
            state_outputs=True,
            mode=self._mode,
            **self._clip_,
        )
        if self._layout == "NTC":
            outputs = _swapped(F, outputs)
        return outputs, new

    def _packing_order_(self) -> list[str]:
        """Return parameter names in the order in which the operator packs them: all weights, then all biases."""
        sources = ("i2h", "h2h", "h2r") if self._projection_size else ("i2h", "h2h")
        return [
            f"{direction}{layer}_{source}_{kind}"
            for kind in ("weight", "bias")
            for layer in range(self._num_layers)
            for direction in ("l", "r")[: self._dir]
            for source in sources
            if source != "h2r" or kind == "weight"
        ]

    def _unfuse(self) -> HybridSequentialRNNCell:
        """Return equivalent cells with the same parameters. Raises AssertionError for features that cells lack."""
        if self._projection_size:
            raise AssertionError("_unfuse does not support projection layer yet!")
        if any(self._clip_.values()):
            raise AssertionError("_unfuse does not support state clipping yet!")
        stack = HybridSequentialRNNCell(prefix=self.prefix, params=self.params)
        inner = self._input_size
        with stack.name_scope():
            for layer in range(self._num_layers):
                cells = [self._cell_(f"{direction}{layer}_", inner) for direction in ("l", "r")[: self._dir]]
                stack.add(cells[0] if self._dir == 1 else BidirectionalCell(cells[0], cells[1]))
                if self._dropout > 0 and layer < self._num_layers - 1:
                    stack.add(DropoutCell(self._dropout))
                inner = self._hidden_size * self._dir
        return stack

    def _cell_(self, prefix: str, input_size: int) -> HybridRecurrentCell:
        if self._mode == "lstm":
            return LSTMCell(self._hidden_size, input_size=input_size, prefix=prefix)
        if self._mode == "gru":
            return GRUCell(self._hidden_size, input_size=input_size, prefix=prefix)
        activation = self._mode.removeprefix("rnn_")
        return RNNCell(self._hidden_size, activation=activation, input_size=input_size, prefix=prefix)

    def __repr__(self) -> str:
        shape = self._reg_params["l0_i2h_weight"].shape
        assert shape is not None
        parts = [f"{shape[1] or None} -> {shape[0] // self._gates}", self._layout]
        parts += [f"num_layers={self._num_layers}"] if self._num_layers != 1 else []
        parts += [f"dropout={self._dropout}"] if self._dropout != 0 else []
        parts += ["bidirectional"] if self._dir == 2 else []
        return f"{type(self).__name__}({', '.join(parts)})"


def _swapped(F: Any, x: Any) -> Any:
    return F.np.swapaxes(x, 0, 1) if is_np_array() else F.swapaxes(x, dim1=0, dim2=1)


def _packed(F: Any, weights: list[Any]) -> Any:
    """Return all parameters concatenated into one dimension."""
    flat = (F.reshape(weight.as_nd_ndarray(), shape=-1) for weight in weights)
    packed = F._internal._rnn_param_concat(*flat, dim=0)
    return packed.as_np_ndarray() if is_np_array() else packed


class RNN(_RNNLayer):
    """A layer of ``activation(W x + U h + b)`` with relu or tanh."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        activation: str = "relu",
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        input_size: int = 0,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            f"rnn_{activation}",
            dtype=dtype,
            **kwargs,
        )


class LSTM(_RNNLayer):
    """A layer of long short-term memory, with an optional projection of its output."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        projection_size: int | None = None,
        h2r_weight_initializer: Any = None,
        state_clip_min: float | None = None,
        state_clip_max: float | None = None,
        state_clip_nan: bool = False,
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "lstm",
            projection_size,
            h2r_weight_initializer,
            state_clip_min,
            state_clip_max,
            state_clip_nan,
            dtype=dtype,
            **kwargs,
        )


class GRU(_RNNLayer):
    """A layer of gated recurrent units."""

    def __init__(
        self,
        hidden_size: int,
        num_layers: int = 1,
        layout: str = "TNC",
        dropout: float = 0,
        bidirectional: bool = False,
        input_size: int = 0,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        dtype: Any = "float32",
        **kwargs: Any,
    ) -> None:
        super().__init__(
            hidden_size,
            num_layers,
            layout,
            dropout,
            bidirectional,
            input_size,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            "gru",
            dtype=dtype,
            **kwargs,
        )
