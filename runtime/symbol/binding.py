"""The arrays of a symbol that is bound by shapes alone: zeros, or memory that other executors have left."""

from __future__ import annotations

from collections.abc import Collection, Mapping, MutableMapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.base import MXNetError
from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.executor import Executor, requests_by_name
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol import placement
from hybridlint.runtime.symbol.signature import settled_types

if TYPE_CHECKING:
    from hybridlint.runtime.symbol.symbol import Symbol


class _Buffers:
    """Memory that several executors use in turn, by name; arguments of equal names and sizes are the same array."""

    def __init__(
        self, shared: MutableMapping[str, NDArray] | None, kept: Executor | None, names: Collection[str]
    ) -> None:
        self._shared = shared
        self._names = names
        self._kept = {} if kept is None else {**kept.arg_dict, **kept.aux_dict}
        self._kept_gradients = {} if kept is None else kept.grad_dict

    def array(self, name: str, shape: Any, dtype: Any, ctx: Context) -> NDArray:
        """Return the array of an argument or state."""
        return self._found(self._kept.get(name), name, name, (shape, dtype, ctx))

    def gradient(self, name: str, shape: Any, dtype: Any, ctx: Context) -> NDArray:
        """Return the array of an argument's gradient."""
        return self._found(self._kept_gradients.get(name), name, f"grad of {name}", (shape, dtype, ctx))

    def _found(self, kept: NDArray | None, name: str, key: str, wanted: tuple[Any, Any, Context]) -> NDArray:
        shape, dtype, ctx = wanted
        if name in self._names:
            fits = kept is not None and kept.shape == tuple(shape) and kept.dtype == np.dtype(dtype)
            return kept if fits and kept is not None else _zeros(*wanted)
        if self._shared is None:
            return _zeros(*wanted)
        size, buffer = int(np.prod(shape)), self._shared.get(key)
        if buffer is None or buffer.size < size or buffer.dtype != np.dtype(dtype):
            buffer = self._shared[key] = _zeros(*wanted)
        return NDArray._wrap(buffer._data.reshape(-1)[:size].reshape(shape))._on(ctx)


def simple_bind(
    symbol: Symbol,
    ctx: Context | None,
    grad_req: Any,
    shapes: Mapping[str, Any],
    *,
    type_dict: Mapping[str, Any] | None = None,
    group2ctx: Mapping[str, Context] | None = None,
    shared_arg_names: Sequence[str] | None = None,
    shared_exec: Executor | None = None,
    shared_buffer: MutableMapping[str, NDArray] | None = None,
) -> Executor:
    """Return an executor on arrays of inferred shapes and dtypes. Raises RuntimeError if these cannot be inferred."""
    try:
        arg_shapes, _, aux_shapes = symbol.infer_shape(**shapes)
        if arg_shapes is None:
            raise MXNetError("the shapes of some arguments are unknown")
        arg_types, _, aux_types = settled_types(symbol, type_dict or {})
    except MXNetError as error:
        given = "".join(f"{name}: {shape}\n" for name, shape in shapes.items())
        raise RuntimeError(f"simple_bind error. Arguments:\n{given}{error}") from error
    context = ctx or current_context()
    places = placement.of_variables(symbol, group2ctx or {}, context)
    names = symbol.list_arguments()
    requests = requests_by_name(names, grad_req)
    # Without names, an executor to share with gives all parameters, as far as they fit.
    shared = (names if shared_exec is not None else []) if shared_arg_names is None else shared_arg_names
    buffers = _Buffers(shared_buffer, shared_exec, set(shared) | set(symbol.list_auxiliary_states()))
    args, gradients = {}, {}
    for name, shape, dtype in zip(names, arg_shapes, arg_types, strict=True):
        args[name] = buffers.array(name, shape, dtype, places[name])
        if requests.get(name, "null") != "null":
            gradients[name] = buffers.gradient(name, shape, dtype, places[name])
    states = zip(symbol.list_auxiliary_states(), aux_shapes, aux_types, strict=True)
    aux = {name: buffers.array(name, shape, dtype, places[name]) for name, shape, dtype in states}
    return Executor(symbol, args, gradients, requests, aux, ctx=context, group2ctx=group2ctx)


def _zeros(shape: Any, dtype: Any, ctx: Context) -> NDArray:
    return NDArray(np.zeros(shape, dtype), ctx)
