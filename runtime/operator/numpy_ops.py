"""The Python operators that preceded CustomOp: ``mx.operator.NumpyOp`` and ``NDArrayOp``."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import Any

import hybridlint.runtime.symbol as sym
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.operator import custom

_numbers = itertools.count()


class PythonOp:
    """Base class of the old Python operators. `need_top_grad` says whether backward needs the output's gradient."""

    def __init__(self, need_top_grad: bool = True) -> None:
        self.need_top_grad_ = need_top_grad

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Return a symbol of the operator, as `get_symbol` does."""
        return self.get_symbol(*args, **kwargs)

    def get_symbol(self, *args: Any, **kwargs: Any) -> Any:
        """Return the symbol that applies the operator to symbols."""
        name = f"_{type(self).__name__}_{next(_numbers)}"
        custom.register(name)(lambda: _prop(self, self._given))
        return sym.Custom(*args, op_type=name, **kwargs)

    def _given(self, arrays: Sequence[NDArray]) -> list[Any]:
        raise NotImplementedError(f"{type(self).__name__} is neither a NumpyOp nor an NDArrayOp")

    def forward(self, in_data: Sequence[Any], out_data: Sequence[Any]) -> None:
        """Compute the outputs in place. The default copies the first input to the first output."""
        out_data[0][:] = in_data[0]

    def backward(
        self, out_grad: Sequence[Any], in_data: Sequence[Any], out_data: Sequence[Any], in_grad: Sequence[Any]
    ) -> None:
        """Compute the gradients in place. The default sets the first gradient to ones."""
        in_grad[0][:] = 1.0

    def infer_shape(self, in_shape: Any) -> tuple[Any, Any]:
        """Return the shapes of inputs and outputs. The default is the first input's shape for both."""
        return in_shape, [in_shape[0]]

    def list_outputs(self) -> list[str]:
        """Return the names of the outputs."""
        return ["output"]

    def list_arguments(self) -> list[str]:
        """Return the names of the inputs."""
        return ["data"]

    def need_top_grad(self) -> bool:
        """Return whether backward needs the output's gradient."""
        return self.need_top_grad_


class NumpyOp(PythonOp):
    """An operator whose `forward` and `backward` work in place on numpy arrays."""

    def _given(self, arrays: Sequence[NDArray]) -> list[Any]:
        return [array._host for array in arrays]


class NDArrayOp(PythonOp):
    """An operator whose `forward` and `backward` work in place on NDArrays."""

    def _given(self, arrays: Sequence[NDArray]) -> list[Any]:
        return list(arrays)

    def declare_backward_dependency(
        self, out_grad: Sequence[int], in_data: Sequence[int], out_data: Sequence[int]
    ) -> list[int]:
        """Return the arrays that backward needs; here it always receives all of them."""
        return [*(out_grad if self.need_top_grad() else ()), *in_data, *out_data]


def _prop(op: PythonOp, given: Callable[[Sequence[NDArray]], list[Any]]) -> custom.CustomOpProp:
    class Computation(custom.CustomOp):
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

    class Prop(custom.CustomOpProp):
        def list_arguments(self) -> list[str]:
            return op.list_arguments()

        def list_outputs(self) -> list[str]:
            return op.list_outputs()

        def infer_shape(self, in_shape: Any) -> tuple[Any, ...]:
            return (*op.infer_shape(in_shape), [])

        def create_operator(self, ctx: Any, in_shapes: Any, in_dtypes: Any) -> custom.CustomOp:
            return Computation()

    return Prop(op.need_top_grad())
