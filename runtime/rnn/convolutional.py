"""Symbolic cells with convolutional connections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, RNNParams
from hybridlint.runtime.symbol import Symbol

_Pair = tuple[int, ...]
_States = Sequence[Symbol]
_leaky = partial(sym.LeakyReLU, act_type="leaky", slope=0.2)


class BaseConvRNNCell(BaseRNNCell):
    """A cell whose gates are convolutions of the input and the state before; `input_shape` is that of a batch.

    Raises AssertionError for a kernel over the state whose sizes are not odd: the state keeps its size.
    """

    def __init__(
        self,
        input_shape: Sequence[int],
        num_hidden: int,
        h2h_kernel: _Pair,
        h2h_dilate: _Pair,
        i2h_kernel: _Pair,
        i2h_stride: _Pair,
        i2h_pad: _Pair,
        i2h_dilate: _Pair,
        i2h_weight_initializer: Any,
        h2h_weight_initializer: Any,
        i2h_bias_initializer: Any,
        h2h_bias_initializer: Any,
        activation: Any,
        prefix: str = "",
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(prefix=prefix, params=params)
        if any(size % 2 == 0 for size in h2h_kernel):
            raise AssertionError(f"Only support odd number, get h2h_kernel= {h2h_kernel}")
        self._num_hidden, self._activation = num_hidden, activation
        pad = tuple(d * (k - 1) // 2 for k, d in zip(h2h_kernel, h2h_dilate, strict=True))
        self._h2h = {"kernel": h2h_kernel, "dilate": h2h_dilate, "pad": pad, "stride": (1,) * len(pad)}
        self._i2h = {"kernel": i2h_kernel, "dilate": i2h_dilate, "pad": i2h_pad, "stride": i2h_stride}
        self._conv_layout = conv_layout
        self._iW = self._params.get("i2h_weight", init=i2h_weight_initializer)
        self._hW = self._params.get("h2h_weight", init=h2h_weight_initializer)
        self._iB = self._params.get("i2h_bias", init=i2h_bias_initializer)
        self._hB = self._params.get("h2h_bias", init=h2h_bias_initializer)
        result = sym.Convolution(sym.Variable("data"), num_filter=num_hidden, layout=conv_layout, **self._i2h)
        (shape,) = result.infer_shape(data=tuple(input_shape))[1]
        self._state_shape = (0, *shape[1:])

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the only state."""
        return [{"shape": self._state_shape, "__layout__": self._conv_layout}]

    def _convolved(self, inputs: Symbol, state: Symbol, name: str) -> tuple[Symbol, Symbol]:
        """Return what input and state contribute to all gates."""
        common = {"num_filter": self._num_hidden * len(self._gate_names), "layout": self._conv_layout}
        i2h = sym.Convolution(inputs, self._iW, self._iB, name=f"{name}i2h", **common, **self._i2h)
        h2h = sym.Convolution(state, self._hW, self._hB, name=f"{name}h2h", **common, **self._h2h)
        return i2h, h2h

    def _sliced(self, gates: Symbol, name: str) -> Symbol:
        axis = self._conv_layout.find("C")
        sliced: Symbol = sym.SliceChannel(gates, num_outputs=len(self._gate_names), axis=axis, name=name)
        return sliced


class _Defaults(BaseConvRNNCell):
    """The defaults that the kinds of cells share."""

    _name = ""

    def __init__(
        self,
        input_shape: Sequence[int],
        num_hidden: int,
        h2h_kernel: _Pair = (3, 3),
        h2h_dilate: _Pair = (1, 1),
        i2h_kernel: _Pair = (3, 3),
        i2h_stride: _Pair = (1, 1),
        i2h_pad: _Pair = (1, 1),
        i2h_dilate: _Pair = (1, 1),
        i2h_weight_initializer: Any = None,
        h2h_weight_initializer: Any = None,
        i2h_bias_initializer: Any = "zeros",
        h2h_bias_initializer: Any = "zeros",
        activation: Any = _leaky,
        prefix: str | None = None,
        params: RNNParams | None = None,
        conv_layout: str = "NCHW",
    ) -> None:
        super().__init__(
            input_shape,
            num_hidden,
            h2h_kernel,
            h2h_dilate,
            i2h_kernel,
            i2h_stride,
            i2h_pad,
            i2h_dilate,
            i2h_weight_initializer,
            h2h_weight_initializer,
            i2h_bias_initializer,
            h2h_bias_initializer,
            activation,
            self._name if prefix is None else prefix,
            params,
            conv_layout,
        )


class ConvRNNCell(_Defaults):
    """A plain convolutional cell."""

    _name = "ConvRNN_"

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("",)

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        name = self._step_name()
        i2h, h2h = self._convolved(inputs, states[0], name)
        output = self._get_activation(i2h + h2h, self._activation, name=f"{name}out")
        return output, [output]


class ConvLSTMCell(_Defaults):
    """A convolutional cell of long short-term memory."""

    _name = "ConvLSTM_"

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
        i2h, h2h = self._convolved(inputs, states[0], name)
        gates = self._sliced(i2h + h2h, f"{name}slice")
        enter = sym.Activation(gates[0], act_type="sigmoid", name=f"{name}i")
        forget = sym.Activation(gates[1], act_type="sigmoid", name=f"{name}f")
        new = self._get_activation(gates[2], self._activation, name=f"{name}c")
        leave = sym.Activation(gates[3], act_type="sigmoid", name=f"{name}o")
        memory = sym.elemwise_add(forget * states[1], enter * new, name=f"{name}state")
        output = sym.elemwise_mul(leave, self._get_activation(memory, self._activation), name=f"{name}out")
        return output, [output, memory]


class ConvGRUCell(_Defaults):
    """A convolutional gated recurrent unit."""

    _name = "ConvGRU_"

    @property
    def _gate_names(self) -> Sequence[str]:
        return ("_r", "_z", "_o")

    def __call__(self, inputs: Symbol, states: _States) -> tuple[Symbol, _States]:
        """Return output and states of one step."""
        name = self._step_name()
        before = states[0]
        i2h, h2h = self._convolved(inputs, before, name)
        from_input = self._sliced(i2h, f"{name}_i2h_slice")
        from_state = self._sliced(h2h, f"{name}_h2h_slice")
        reset = sym.Activation(from_input[0] + from_state[0], act_type="sigmoid", name=f"{name}_r_act")
        update = sym.Activation(from_input[1] + from_state[1], act_type="sigmoid", name=f"{name}_z_act")
        mixed = from_input[2] + reset * from_state[2]
        new = self._get_activation(mixed, self._activation, name=f"{name}_h_act")
        output = sym.elemwise_add((1.0 - update) * new, update * before, name=f"{name}out")
        return output, [output]
