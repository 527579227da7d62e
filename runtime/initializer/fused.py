"""The packed weights of the RNN operator, each part filled by itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.initializer.base import InitDesc, Initializer, create, fill, register

if TYPE_CHECKING:
    from hybridlint.runtime.ndarray.ndarray import NDArray

#: Mode of the operator -> the letters of its gates, in the order of the packed vector.
_GATES = {"rnn_relu": ("",), "rnn_tanh": ("",), "lstm": ("_i", "_f", "_c", "_o"), "gru": ("_r", "_z", "_o")}


@register
class FusedRNN(Initializer):
    """Fills the packed weights of an RNN operator: each gate's matrix and bias by `init`.

    Without `init`, the global initializer is used. The forget gate biases of an LSTM are `forget_bias`. Raises
    ValueError without any initializer, and for a vector length that fits no input size.
    """

    def __init__(
        self,
        init: Any,
        num_hidden: int,
        num_layers: int,
        mode: str,
        bidirectional: bool = False,
        forget_bias: float = 1.0,
    ) -> None:
        if isinstance(init, str):
            init = create(init)
        super().__init__(
            init=None if init is None else init.dumps(),
            num_hidden=num_hidden,
            num_layers=num_layers,
            mode=mode,
            bidirectional=bidirectional,
            forget_bias=forget_bias,
        )
        self._init = init
        self._num_hidden = num_hidden
        self._num_layers = num_layers
        self._mode = mode
        self._directions = ("l", "r") if bidirectional else ("l",)
        self._forget_bias = forget_bias

    def _init_weight(self, name: str, arr: NDArray) -> None:
        from hybridlint.runtime.ndarray import zeros

        asked = getattr(name, "global_init", None)
        init = self._init or asked
        if init is None:
            raise ValueError(f"FusedRNN without init fills {name} only for another initializer")
        parts = []
        for part, shape in self._parts(self._input_size(arr.size)):
            values = zeros(shape, ctx=arr.context, dtype=arr.dtype)
            if self._mode == "lstm" and part.endswith("_f_bias"):
                values[:] = self._forget_bias
            else:
                init(InitDesc(part, global_init=asked), values)
            parts.append(values.asnumpy().ravel())
        fill(arr, np.concatenate(parts))

    def _input_size(self, length: int) -> int:
        """Return the size of the inputs that belongs to the length of the packed vector."""
        rest = length - sum(int(np.prod(shape)) for _part, shape in self._parts(0))
        size, left = divmod(rest, len(_GATES[self._mode]) * self._num_hidden * len(self._directions))
        if left or size <= 0:
            raise ValueError(f"a vector of {length} elements does not hold the weights of this RNN")
        return size

    def _parts(self, input_size: int) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Yield name and shape of each part, in the order of the vector: all matrices, then all biases."""
        hidden, gates = self._num_hidden, _GATES[self._mode]
        cells = [(k, f"{d}{k}") for k in range(self._num_layers) for d in self._directions]
        for layer, cell in cells:
            inner = hidden * len(self._directions) if layer else input_size
            for way, columns in (("i2h", inner), ("h2h", hidden)):
                yield from ((f"{cell}_{way}{gate}_weight", (hidden, columns)) for gate in gates)
        for _layer, cell in cells:
            for way in ("i2h", "h2h"):
                yield from ((f"{cell}_{way}{gate}_bias", (hidden,)) for gate in gates)
