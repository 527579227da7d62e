"""A symbolic cell that runs all layers and steps in one operator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from hybridlint.runtime import ndarray
from hybridlint.runtime import symbol as sym
from hybridlint.runtime.initializer import FusedRNN
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.rnn.containers import BidirectionalCell, SequentialRNNCell
from hybridlint.runtime.rnn.dropout import DropoutCell
from hybridlint.runtime.rnn.gates import GRUCell, LSTMCell, RNNCell
from hybridlint.runtime.rnn.recurrent import BaseRNNCell, RNNParams, Weights
from hybridlint.runtime.rnn.steps import arrange
from hybridlint.runtime.symbol import Symbol

_GATES = {"rnn_relu": ("",), "rnn_tanh": ("",), "lstm": ("_i", "_f", "_c", "_o"), "gru": ("_r", "_z", "_o")}


class FusedRNNCell(BaseRNNCell):
    """Layers of one kind (`mode`), in one or both directions; all weights are one vector, ``parameters``."""

    def __init__(
        self,
        num_hidden: int,
        num_layers: int = 1,
        mode: str = "lstm",
        bidirectional: bool = False,
        dropout: float = 0.0,
        get_next_state: bool = False,
        forget_bias: float = 1.0,
        prefix: str | None = None,
        params: RNNParams | None = None,
    ) -> None:
        super().__init__(prefix=f"{mode}_" if prefix is None else prefix, params=params)
        self._num_hidden, self._num_layers, self._mode = num_hidden, num_layers, mode
        self._bidirectional, self._dropout, self._get_next_state = bidirectional, dropout, get_next_state
        self._forget_bias = forget_bias
        self._directions = ["l", "r"] if bidirectional else ["l"]
        start = FusedRNN(None, num_hidden, num_layers, mode, bidirectional, forget_bias)
        self._parameter = self._params.get("parameters", init=start)
        self._vector = f"{self._params._prefix}parameters"

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of the states: layers and directions, batch, units."""
        shape = (len(self._directions) * self._num_layers, 0, self._num_hidden)
        return [{"shape": shape, "__layout__": "LNC"} for _ in range(2 if self._mode == "lstm" else 1)]

    @property
    def _gate_names(self) -> Sequence[str]:
        return _GATES[self._mode]

    @property
    def _num_gates(self) -> int:
        return len(self._gate_names)

    def _parts(self, inputs: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield names and shapes of what the vector holds one after the other."""
        hidden, sides = self._num_hidden, len(self._directions)
        for kind in ("weight", "bias"):
            for layer in range(self._num_layers):
                width = {"i2h": inputs if layer == 0 else sides * hidden, "h2h": hidden}
                for direction in self._directions:
                    for group in ("i2h", "h2h"):
                        for gate in self._gate_names:
                            name = f"{self._prefix}{direction}{layer}_{group}{gate}_{kind}"
                            yield name, (hidden, width[group]) if kind == "weight" else (hidden,)

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with the vector taken apart."""
        found = dict(args)
        vector = found.pop(self._vector)
        sides, hidden = len(self._directions), self._num_hidden
        above = (self._num_layers - 1) * (hidden + sides * hidden + 2)
        at = 0
        for name, shape in self._parts(vector.size // sides // hidden // self._num_gates - above - hidden - 2):
            size = shape[0] * (shape[1] if len(shape) == 2 else 1)
            found[name] = vector[at : at + size].reshape(shape).copy()
            at += size
        return found

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with those of this cell joined to the vector."""
        found = dict(args)
        inputs = found[f"{self._prefix}l0_i2h{self._gate_names[0]}_weight"].shape[1]
        parts = [found.pop(name).reshape((-1,)) for name, _ in self._parts(inputs)]
        found[self._vector] = ndarray.concatenate(parts)
        return found

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Symbol, Sequence[Symbol]]:
        """Raise NotImplementedError: there is no single step."""
        raise NotImplementedError("FusedRNNCell cannot be stepped. Please use unroll")

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Sequence[Symbol]]:
        """Run all layers over all steps; the last states are given where the cell was asked for them."""
        self.reset()
        joined, axis = arrange(length, inputs, layout, merge=True)
        if axis == 1:
            joined = sym.swapaxes(joined, dim1=0, dim2=1)
        states = self.begin_state() if begin_state is None else begin_state
        named = dict(zip(("state", "state_cell"), states, strict=False))
        result = sym.RNN(
            data=joined,
            parameters=self._parameter,
            state_size=self._num_hidden,
            num_layers=self._num_layers,
            bidirectional=self._bidirectional,
            p=self._dropout,
            state_outputs=self._get_next_state,
            mode=self._mode,
            name=f"{self._prefix}rnn",
            **named,
        )
        outputs, after = (result[0], list(result)[1:]) if self._get_next_state else (result, [])
        if axis == 1:
            outputs = sym.swapaxes(outputs, dim1=0, dim2=1)
        return arrange(length, outputs, layout, merge_outputs)[0], after

    def unfuse(self) -> SequentialRNNCell:
        """Return the same network as single cells; `unpack_weights` and its `pack_weights` carry the weights over."""
        stack = SequentialRNNCell()
        for layer in range(self._num_layers):
            sides = [self._cell(f"{self._prefix}{direction}{layer}_") for direction in self._directions]
            if self._bidirectional:
                stack.add(BidirectionalCell(sides[0], sides[1], output_prefix=f"{self._prefix}bi_l{layer}_"))
            else:
                stack.add(sides[0])
            if self._dropout > 0 and layer != self._num_layers - 1:
                stack.add(DropoutCell(self._dropout, prefix=f"{self._prefix}_dropout{layer}_"))
        return stack

    def _cell(self, prefix: str) -> BaseRNNCell:
        if self._mode == "lstm":
            return LSTMCell(self._num_hidden, prefix=prefix, forget_bias=self._forget_bias)
        if self._mode == "gru":
            return GRUCell(self._num_hidden, prefix=prefix)
        return RNNCell(self._num_hidden, activation=self._mode.removeprefix("rnn_"), prefix=prefix)
