"""Symbolic cells with convolutional connections."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from hybridlint.runtime import symbol as sym
from hybridlint.runtime.rnn.gated import Gated, GatedUnit, LongShortTerm, Plain
from hybridlint.runtime.rnn.recurrent import RNNParams
from hybridlint.runtime.symbol import Symbol

_Pair = tuple[int, ...]
_leaky = partial(sym.LeakyReLU, act_type="leaky", slope=0.2)


class BaseConvRNNCell(Gated):
    """A cell with gates computed by convolutions of the input and the previous state.

    `input_shape` is the shape of a batch. Raises AssertionError for a state kernel with even sizes, because the state
    must keep its size.
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

    def _connected(self, inputs: Symbol, state: Symbol, name: str) -> tuple[Symbol, Symbol]:
        """Return the contributions of input and state to all gates."""
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


class ConvRNNCell(Plain, _Defaults):
    """A plain convolutional cell."""

    _name = "ConvRNN_"


class ConvLSTMCell(LongShortTerm, _Defaults):
    """A convolutional cell of long short-term memory."""

    _name = "ConvLSTM_"


class ConvGRUCell(GatedUnit, _Defaults):
    """A convolutional gated recurrent unit."""

    _name = "ConvGRU_"
