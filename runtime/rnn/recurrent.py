"""The base of symbolic recurrent cells: parameters by name, states, unrolling, weights gate by gate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from hybridlint.runtime import ndarray
from hybridlint.runtime import symbol as sym
from hybridlint.runtime.ndarray import NDArray
from hybridlint.runtime.rnn.steps import arrange
from hybridlint.runtime.symbol import Symbol

#: Weights by name, as `Module.get_params` gives them.
Weights = dict[str, NDArray]


class RNNParams:
    """Variables by name, shared by the cells that are given the same object."""

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self._params: dict[str, Symbol] = {}

    def get(self, name: str, **kwargs: Any) -> Symbol:
        """Return the variable `name`, made with `kwargs` when it is first asked for."""
        full = self._prefix + name
        if full not in self._params:
            self._params[full] = sym.Variable(full, **kwargs)
        return self._params[full]


class BaseRNNCell:
    """One step of a recurrent network: ``output, states = cell(input, states)``."""

    def __init__(self, prefix: str = "", params: RNNParams | None = None) -> None:
        self._own_params = params is None
        self._prefix = prefix
        self._params = RNNParams(prefix) if params is None else params
        self._modified = False
        self.reset()

    def reset(self) -> None:
        """Forget how many steps ran, which names of operators count."""
        self._init_counter = -1
        self._counter = -1
        for cell in getattr(self, "_cells", ()):
            cell.reset()

    def __call__(self, inputs: Symbol, states: Sequence[Symbol]) -> tuple[Symbol, Sequence[Symbol]]:
        """Return output and states of one step."""
        raise NotImplementedError(f"{type(self).__name__} does not implement a step")

    @property
    def params(self) -> RNNParams:
        """The cell's variables; who asks may share them."""
        self._own_params = False
        return self._params

    @property
    def state_info(self) -> list[dict[str, Any]]:
        """Shape and layout of each state. The batch size is 0."""
        raise NotImplementedError(f"{type(self).__name__} does not implement state_info")

    @property
    def state_shape(self) -> list[tuple[int, ...]]:
        """Shape of each state."""
        return [info["shape"] for info in self.state_info]

    @property
    def _gate_names(self) -> Sequence[str]:
        return ()

    def begin_state(self, func: Any = sym.zeros, **kwargs: Any) -> list[Symbol]:
        """Return the states of the first step, made by `func` with their shapes and `kwargs`.

        Raises AssertionError for a cell that another one modifies.
        """
        if self._modified:
            raise AssertionError(
                "After applying modifier cells (e.g. DropoutCell) the base cell cannot be called directly. Call the "
                "modifier cell instead."
            )
        states = []
        for info in self.state_info:
            self._init_counter += 1
            states.append(func(name=f"{self._prefix}begin_state_{self._init_counter}", **kwargs, **info))
        return states

    def unpack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with those of this cell taken apart gate by gate."""
        found = dict(args)
        for group, kind in self._groups():
            joined = found.pop(f"{self._prefix}{group}_{kind}")
            size = joined.shape[0] // len(self._gate_names)
            for k, gate in enumerate(self._gate_names):
                found[f"{self._prefix}{group}{gate}_{kind}"] = joined[k * size : (k + 1) * size].copy()
        return found

    def pack_weights(self, args: Mapping[str, NDArray]) -> Weights:
        """Return weights with the gates of this cell joined: the reverse of `unpack_weights`."""
        found = dict(args)
        for group, kind in self._groups():
            parts = [found.pop(f"{self._prefix}{group}{gate}_{kind}") for gate in self._gate_names]
            found[f"{self._prefix}{group}_{kind}"] = ndarray.concatenate(parts)
        return found

    def _groups(self) -> list[tuple[str, str]]:
        if not self._gate_names:
            return []
        return [(group, kind) for group in ("i2h", "h2h") for kind in ("weight", "bias")]

    def unroll(
        self,
        length: int,
        inputs: Any,
        begin_state: Sequence[Symbol] | None = None,
        layout: str = "NTC",
        merge_outputs: bool | None = None,
    ) -> tuple[Any, Sequence[Symbol]]:
        """Run the cell over `length` steps of `inputs`: one symbol in `layout`, or one for each step.

        Return outputs, joined where `merge_outputs`, and the last states.
        """
        self.reset()
        steps, _ = arrange(length, inputs, layout, merge=False)
        states = self.begin_state() if begin_state is None else begin_state
        outputs = []
        for step in steps:
            output, states = self(step, states)
            outputs.append(output)
        return arrange(length, outputs, layout, merge_outputs)[0], states

    def _get_activation(self, inputs: Symbol, activation: Any, **kwargs: Any) -> Symbol:
        if isinstance(activation, str):
            activation = partial(sym.Activation, act_type=activation)
        output: Symbol = activation(inputs, **kwargs)
        return output

    def _step_name(self) -> str:
        """Count a step and return the prefix of its operators' names."""
        self._counter += 1
        return f"{self._prefix}t{self._counter}_"
