"""Convolutional recurrent cells, whose inputs and states are images."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hybridlint.runtime.gluon.nn.sizes import Sizes, expand
from hybridlint.runtime.gluon.rnn.recurrent import HybridRecurrentCell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hybridlint.runtime.gluon.param import Parameter
    from hybridlint.runtime.gluon.param_dict import ParameterDict

_LAYOUTS = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


class _ConvCell(HybridRecurrentCell):
    """A cell with `gates` gates, each fed by convolutions of the input (i2h) and of the last output (h2h).

    `input_shape` is the shape of one example in `conv_layout` (default: channels first). The state convolution is
    padded to keep the size. Raises AssertionError if its kernel size is even.
    """

    _rank_: int
    _gates_: int

    def __init__(
        self,
        input_shape: Sequence[int],
        hidden_channels: int,
        i2h_kernel: Sizes,
        h2h_kernel: Sizes,
        i2h_pad: Sizes = 0,
        i2h_dilate: Sizes = 1,
        h2h_dilate: Sizes = 1,
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        conv_layout: str | None = None,
        activation: Any = "tanh",
        prefix: str | None = None,
        params: ParameterDict | None = None,
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        rank = self._rank_
        self._hidden_channels = hidden_channels
        self._input_shape = tuple(input_shape)
        self._conv_layout = conv_layout or _LAYOUTS[rank]
        self._activation = activation
        self._i2h_kernel = expand(i2h_kernel, rank, "i2h_kernel")
        self._i2h_pad = expand(i2h_pad, rank, "i2h_pad")
        self._i2h_dilate = expand(i2h_dilate, rank, "i2h_dilate")
        self._h2h_kernel = expand(h2h_kernel, rank, "h2h_kernel")
        self._h2h_dilate = expand(h2h_dilate, rank, "h2h_dilate")
        if any(size % 2 == 0 for size in self._h2h_kernel):
            raise AssertionError(f"Only support odd number, get h2h_kernel= {h2h_kernel}")
        self._h2h_pad = tuple(d * (k - 1) // 2 for d, k in zip(self._h2h_dilate, self._h2h_kernel, strict=True))
        self._channel_axis = self._conv_layout.find("C")
        self._in_channels = self._input_shape[self._channel_axis - 1]

        width = self._gates_ * hidden_channels
        self.i2h_weight = self._weight_("i2h_weight", self._in_channels, self._i2h_kernel, i2h_weight_initializer)
        self.h2h_weight = self._weight_("h2h_weight", hidden_channels, self._h2h_kernel, h2h_weight_initializer)
        self.i2h_bias = self.params.get("i2h_bias", shape=(width,), init=i2h_bias_initializer, allow_deferred_init=True)
        self.h2h_bias = self.params.get("h2h_bias", shape=(width,), init=h2h_bias_initializer, allow_deferred_init=True)

    def _weight_(self, name: str, channels: int, kernel: tuple[int, ...], init: Any) -> Parameter:
        width = self._gates_ * self._hidden_channels
        shape = (width, *self._with_channels_(channels, kernel))
        return self.params.get(name, shape=shape, init=init, allow_deferred_init=True)

    def _with_channels_(self, channels: int, sizes: Sequence[int]) -> tuple[int, ...]:
        at = self._channel_axis - 1
        return (*sizes[:at], channels, *sizes[at:])

    @property
    def _state_shape(self) -> tuple[int, ...]:
        at = self._channel_axis - 1
        space = self._input_shape[:at] + self._input_shape[at + 1 :]
        windows = zip(space, self._i2h_kernel, self._i2h_pad, self._i2h_dilate, strict=False)
        sizes = [size + 2 * pad - dilate * (kernel - 1) if size else 0 for size, kernel, pad, dilate in windows]
        return self._with_channels_(self._hidden_channels, sizes)

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shape of each state: an image with the hidden channels."""
        return [{"shape": (batch_size, *self._state_shape), "__layout__": self._conv_layout}]

    def _convolve_(self, F: Any, x: Any, state: Any, weights: tuple[Any, ...]) -> tuple[Any, Any]:
        i2h_weight, h2h_weight, i2h_bias, h2h_bias = weights
        shared = {
            "num_filter": self._gates_ * self._hidden_channels,
            "stride": (1,) * self._rank_,
            "layout": self._conv_layout,
        }
        i2h = F.Convolution(
            x,
            i2h_weight,
            i2h_bias,
            kernel=self._i2h_kernel,
            pad=self._i2h_pad,
            dilate=self._i2h_dilate,
            name=self._step_ + "i2h",
            **shared,
        )
        h2h = F.Convolution(
            state,
            h2h_weight,
            h2h_bias,
            kernel=self._h2h_kernel,
            pad=self._h2h_pad,
            dilate=self._h2h_dilate,
            name=self._step_ + "h2h",
            **shared,
        )
        return i2h, h2h

    def __repr__(self) -> str:
        width = self._gates_ * self._hidden_channels
        shown = f"{self._in_channels or None} -> {width}, {self._activation}, {self._conv_layout}"
        return f"{type(self).__name__}({shown})"


class _ConvRNNCell(_ConvCell):
    """``activation(W * x + U * h + b)``."""

    _gates_ = 1

    def _alias(self) -> str:
        return "conv_rnn"

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
        """Return the output and the states ``[output]``."""
        weights = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._convolve_(F, inputs, states[0], weights)
        output = self._get_activation(F, i2h + h2h, self._activation, name=self._step_ + "out")
        return output, [output]


class _ConvLSTMCell(_ConvCell):
    """Long short-term memory over images: gates in, forget, cell and out; states are output and memory."""

    _gates_ = 4

    def _alias(self) -> str:
        return "conv_lstm"

    def state_info(self, batch_size: int = 0) -> list[dict[str, Any]]:
        """Return the shapes of output and memory: images of the hidden channels."""
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
        """Return the output and the states ``[output, memory]``."""
        step = self._step_
        weights = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._convolve_(F, inputs, states[0], weights)
        gates = F.SliceChannel(i2h + h2h, num_outputs=4, axis=self._channel_axis, name=step + "slice")
        inlet = F.Activation(gates[0], act_type="sigmoid", name=step + "i")
        forget = F.Activation(gates[1], act_type="sigmoid", name=step + "f")
        cell = self._get_activation(F, gates[2], self._activation, name=step + "c")
        outlet = F.Activation(gates[3], act_type="sigmoid", name=step + "o")
        memory = F.elemwise_add(forget * states[1], inlet * cell, name=step + "state")
        output = F.elemwise_mul(outlet, self._get_activation(F, memory, self._activation), name=step + "out")
        return output, [output, memory]


class _ConvGRUCell(_ConvCell):
    """Gated recurrent unit over images: gates reset and update, and the candidate of the new state."""

    _gates_ = 3

    def _alias(self) -> str:
        return "conv_gru"

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
        """Return the output and the states ``[output]``."""
        step, axis = self._step_, self._channel_axis
        weights = (i2h_weight, h2h_weight, i2h_bias, h2h_bias)
        i2h, h2h = self._convolve_(F, inputs, states[0], weights)
        i2h_r, i2h_z, i2h_h = F.SliceChannel(i2h, num_outputs=3, axis=axis, name=step + "i2h_slice")
        h2h_r, h2h_z, h2h_h = F.SliceChannel(h2h, num_outputs=3, axis=axis, name=step + "h2h_slice")
        reset = F.Activation(i2h_r + h2h_r, act_type="sigmoid", name=step + "r_act")
        update = F.Activation(i2h_z + h2h_z, act_type="sigmoid", name=step + "z_act")
        candidate = self._get_activation(F, i2h_h + reset * h2h_h, self._activation, name=step + "h_act")
        output = F.elemwise_add((1.0 - update) * candidate, update * states[0], name=step + "out")
        return output, [output]


class Conv1DRNNCell(_ConvRNNCell):
    """RNN cell over images of one dimension."""

    _rank_ = 1


class Conv2DRNNCell(_ConvRNNCell):
    """RNN cell over images of two dimensions."""

    _rank_ = 2


class Conv3DRNNCell(_ConvRNNCell):
    """RNN cell over images of three dimensions."""

    _rank_ = 3


class Conv1DLSTMCell(_ConvLSTMCell):
    """LSTM cell over images of one dimension."""

    _rank_ = 1


class Conv2DLSTMCell(_ConvLSTMCell):
    """LSTM cell over images of two dimensions."""

    _rank_ = 2


class Conv3DLSTMCell(_ConvLSTMCell):
    """LSTM cell over images of three dimensions."""

    _rank_ = 3


class Conv1DGRUCell(_ConvGRUCell):
    """GRU cell over images of one dimension."""

    _rank_ = 1


class Conv2DGRUCell(_ConvGRUCell):
    """GRU cell over images of two dimensions."""

    _rank_ = 2


class Conv3DGRUCell(_ConvGRUCell):
    """GRU cell over images of three dimensions."""

    _rank_ = 3
