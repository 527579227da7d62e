"""Operators in Python as they were written before CustomOp: ``mx.operator.NumpyOp`` and ``NDArrayOp``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import hybridlint.runtime.symbol as sym
from hybridlint.runtime import operator
from hybridlint.runtime.ndarray.ndarray import NDArray

_numbers = itertools.count()


class PythonOp:
    """An operator that makes symbols of itself; `need_top_grad` says whether its gradient needs that of its output."""

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return a symbol of the operator, as `get_symbol` does."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """Return a symbol of the operator on symbols."""
        name = f"_{type(self).__name__}_{next(_numbers)}"
        operator.register(name)(lambda: _prop(self, self._given))
        return sym.Custom(*args, op_type=name, **kwargs)

    def _given(self, arrays: Sequence[NDArray]) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} is neither a NumpyOp nor an NDArrayOp")

    def forward(self, in_data: Sequence[Any], out_data: Sequence[Any]) -> None:
        """Compute the outputs in place; by default the first one is the first input."""
        out_data[0][:] = in_data[0]

    def backward(
        self, out_grad: Sequence[Any], in_data: Sequence[Any], out_data: Sequence[Any], in_grad: Sequence[Any]
    ) -> None:
        """Compute the gradients in place; by default the first one is ones."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape: Any) -> tuple[Any, Any]:
        """Return shapes of inputs and outputs; by default both are those of the first input."""
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def need_top_grad(self) -> bool:
        """Return whether the gradient needs that of the output."""
        return self.need_top_grad_


class NumpyOp(PythonOp):
    """An operator whose `forward` and `backward` work on arrays of numpy, in place."""

    def _given(self, arrays: Sequence[NDArray]) -> list[Any]:
        return [array._data for array in arrays]


class NDArrayOp(PythonOp):
    """An operator whose `forward` and `backward` work on NDArrays, in place."""

    def _given(self, arrays: Sequence[NDArray]) -> list[Any]:
        return list(arrays)

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return what the gradient needs; here it is given everything."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


def _prop(op: PythonOp, given: Callable[[Sequence[NDArray]], list[Any]]) -> operator.CustomOpProp:
    class Computation(operator.CustomOp):
        def forward(
            self,
            is_train: bool,
            req: Sequence[str],
            in_data: Sequence[NDArray],
            out_data: Sequence[NDArray],
            aux: Sequence[NDArray],
        ) -> None:
            op.forward(in_data=given(in_data), out_data=given(out_data))

        def backward(
            self,
            req: Sequence[str],
            out_grad: Sequence[NDArray],
            in_data: Sequence[NDArray],
            out_data: Sequence[NDArray],
            in_grad: Sequence[NDArray],
            aux: Sequence[NDArray],
        ) -> None:
            op.backward(
                out_grad=given(out_grad), in_data=given(in_data), out_data=given(out_data), in_grad=given(in_grad)
            )

    class Prop(operator.CustomOpProp):
        def list_arguments(self) -> list[str]:
            return op.list_arguments()

        def list_outputs(self) -> list[str]:
            return op.list_outputs()

        def infer_shape(self, in_shape: Any) -> tuple[Any, ...]:
            return (*op.infer_shape(in_shape), [])

        def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> operator.CustomOp:
            return Computation()

    return Prop(op.need_top_grad())
