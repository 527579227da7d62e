"""Executor of the Symbol interface: ``symbol.bind(...)`` and ``simple_bind``, on top of CachedOp."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from hybridlint.runtime import autograd
from hybridlint.runtime.cached_op import CachedOp
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.params import dtype_name
from hybridlint.runtime.symbol.symbol import Symbol


class SymbolExecutor:
    """A symbol bound to arrays. `forward` returns the outputs, `backward` writes into the bound gradients."""

    def __init__(
        self, symbol: Symbol, args: Any, args_grad: Any = None, grad_req: Any = "write", aux_states: Any = None
    ) -> None:
        self._symbol = symbol
        self._op = CachedOp(symbol)
        self.arg_dict = _named(args, symbol.list_arguments(), "args")
        self.aux_dict = _named(aux_states or {}, symbol.list_auxiliary_states(), "aux_states")
        self.grad_dict = _named(args_grad, symbol.list_arguments(), None) if args_grad else {}
        self.outputs: list[NDArray] = []
        requests = grad_req if isinstance(grad_req, dict) else dict.fromkeys(self.grad_dict, grad_req)
        for name, gradient in self.grad_dict.items():
            if requests.get(name, "null") != "null":
                self.arg_dict[name]._mark(gradient, requests[name])

    @classmethod
    def with_zeros(
        cls, symbol: Symbol, grad_req: Any, type_dict: Mapping[str, Any], shapes: Mapping[str, Any]
    ) -> SymbolExecutor:
        """Return an executor on zeros of the shapes that follow from `shapes`.

        Raises ValueError where these are not enough.
        """
        arg_shapes, _, aux_shapes = symbol.infer_shape(**shapes)
        if arg_shapes is None:
            raise ValueError("Input shapes are not enough to infer those of all arguments")

        def zeros(names: Sequence[str], found: Sequence[Any]) -> dict[str, NDArray]:
            return {
                n: NDArray(np.zeros(s, dtype_name(type_dict.get(n, "float32"))))
                for n, s in zip(names, found, strict=True)
            }

        args = zeros(symbol.list_arguments(), arg_shapes)
        grads = zeros(symbol.list_arguments(), arg_shapes) if grad_req != "null" else None
        return cls(symbol, args, grads, grad_req, zeros(symbol.list_auxiliary_states(), aux_shapes))

    @property
    def arg_arrays(self) -> list[NDArray]:
        """Bound arguments in the order of ``list_arguments``."""
        return [self.arg_dict[n] for n in self._symbol.list_arguments()]

    @property
    def grad_arrays(self) -> list[NDArray | None]:
        """Bound gradients in the order of ``list_arguments``."""
        return [self.grad_dict.get(n) for n in self._symbol.list_arguments()]

    @property
    def aux_arrays(self) -> list[NDArray]:
        """Bound auxiliary states."""
        return [self.aux_dict[n] for n in self._symbol.list_auxiliary_states()]

    @property
    def output_dict(self) -> dict[str, NDArray]:
        """Outputs of the last forward by name."""
        return dict(zip(self._symbol.list_outputs(), self.outputs, strict=True))

    def forward(self, is_train: bool = False, **kwargs: Any) -> list[NDArray]:
        """Run, after copying arrays given by name into the bound ones."""
        for name, value in kwargs.items():
            self.arg_dict[name][:] = value
        everything = {**self.arg_dict, **self.aux_dict}
        inputs = [everything[name] for name in self._symbol.list_inputs()]
        with autograd.record(is_train) if is_train else autograd.pause():
            result = self._op(*inputs)
        self.outputs = result if isinstance(result, list) else [result]
        return self.outputs

    def backward(self, out_grads: Any = None, is_train: bool = True) -> None:
        """Write gradients of the last training forward into the bound gradients."""
        given = [out_grads] if isinstance(out_grads, NDArray) else out_grads
        autograd.backward(self.outputs, given, train_mode=is_train)


def _named(arrays: Any, names: Sequence[str], required: str | None) -> dict[str, NDArray]:
    if isinstance(arrays, (list, tuple)):
        if len(arrays) != len(names):
            raise ValueError(
                f"Length of {required} does not match the number of arguments: {len(arrays)} for {len(names)}"
            )
        return {n: a for n, a in zip(names, arrays, strict=True) if a is not None}
    if required is not None:
        for name in names:
            if name not in arrays:
                raise ValueError(f"key `{name}` is missing in `{required}`")
    return dict(arrays)
