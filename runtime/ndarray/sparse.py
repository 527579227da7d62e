"""``mx.nd.sparse``: arrays in sparse storage, what makes them, and the operators that keep it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.base import NotSupportedForSparseNDArray
from hybridlint.runtime.core.imperative import invoke
from hybridlint.runtime.core.namespaces import fill
from hybridlint.runtime.facts import registry
from hybridlint.runtime.ndarray import arithmetic
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.ndarray.sparse_arrays import (
    BaseSparseNDArray,
    CSRNDArray,
    RowSparseNDArray,
)
from hybridlint.runtime.ndarray.sparse_creation import array, csr_matrix, empty, row_sparse_array, zeros


def _arithmetic(name: str, strict: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def function(lhs: Any, rhs: Any) -> Any:
        if isinstance(lhs, NDArray) and isinstance(rhs, NDArray) and lhs.shape == rhs.shape:
            return invoke(registry.get(strict), [lhs, rhs], {})
        return plain(lhs, rhs)

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return `{name}` of arrays or numbers; arrays of one shape may both be sparse."
    return function


add = _arithmetic("add", "elemwise_add", arithmetic.add)
subtract = _arithmetic("subtract", "elemwise_sub", arithmetic.subtract)
multiply = _arithmetic("multiply", "elemwise_mul", arithmetic.multiply)
divide = _arithmetic("divide", "elemwise_div", arithmetic.divide)


def _in_place(function: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def change(self: BaseSparseNDArray, other: Any) -> BaseSparseNDArray:
        self._write(function(self, other)._stored)
        return self

    return change


def _install_methods() -> None:
    for name, function in (("add", add), ("sub", subtract), ("mul", multiply)):
        setattr(BaseSparseNDArray, f"__{name}__", lambda self, other, f=function: f(self, other))
        setattr(BaseSparseNDArray, f"__i{name}__", _in_place(function))
    setattr(BaseSparseNDArray, "__itruediv__", _in_place(lambda self, other: self / other))  # noqa: B010  (no type checker knows it)


_install_methods()

__getattr__, __dir__ = fill("sparse", make_function, globals())

#: MXNet's name for the function of the operator, beside that of the method.
gs_retain = __getattr__("retain")

__all__ = [
    "BaseSparseNDArray",
    "CSRNDArray",
    "NotSupportedForSparseNDArray",
    "RowSparseNDArray",
    "add",
    "array",
    "csr_matrix",
    "divide",
    "empty",
    "gs_retain",
    "multiply",
    "row_sparse_array",
    "subtract",
    "zeros",
]
