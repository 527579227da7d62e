"""The eager world: operators of numpy mode run at once on `mx.np.ndarray`."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.operator_params import normalize
from hybridlint.runtime.facts import registry
from hybridlint.runtime.ndarray.ndarray import NDArray


class EagerWorld:
    """Runs the operators of numpy mode on arrays, at once."""

    eager = True

    def __init__(self) -> None:
        self._class: type[NDArray] | None = None

    def is_tensor(self, value: Any) -> bool:
        """Whether the value is an `mx.np.ndarray`."""
        return isinstance(value, self.array_class)

    @property
    def array_class(self) -> type[NDArray]:
        """The class of all results."""
        if self._class is None:
            from hybridlint.runtime.numpy.multiarray import ndarray

            self._class = ndarray
        return self._class

    def call(
        self, name: str, /, *inputs: Any, out: Any = None, ctx: Any = None, hint: str | None = None, **params: Any
    ) -> Any:
        """Run an operator. Raises MXNetError, TypeError for a legacy array, AssertionError for other inputs."""
        op = registry.get(name)
        cls = self.array_class
        for k, value in enumerate(inputs):
            if not isinstance(value, cls) and value is not None:
                _refuse(name, op.inputs[min(k, len(op.inputs) - 1)], value)
        given = {k: v for k, v in params.items() if v is not None or (k in op.params and op.params[k].nullable)}
        padded = inputs if op.variadic else (*inputs, *[None] * (len(op.inputs) - len(inputs)))
        return invoke(op, padded, normalize(op, given), out, array_class=cls, ctx=ctx)

    def with_number(self, name: str, tensor: Any, number: Any, out: Any = None, *, reflected: bool = False) -> Any:
        """Run the operator of an array and a number. For an integer array, the number is truncated to its dtype."""
        return self.call(name, tensor, scalar=float(number), out=out)


def _refuse(operator: str, name: str, value: Any) -> None:
    if isinstance(value, NDArray):
        raise TypeError(
            f"Operator `{operator}` takes arrays of numpy mode only, but got an NDArray: call as_np_ndarray() on it"
        )
    raise AssertionError(f"Argument {name} must have NDArray type, but got {value}")


WORLD = EagerWorld()
