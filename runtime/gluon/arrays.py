"""The choice of array and symbol class in Gluon: NDArray and Symbol, or those of numpy mode."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.context import Context, require
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.core.storage_types import stored_array
from hybridlint.runtime.facts.lookup import in_numpy_mode
from hybridlint.runtime.facts.storage import RowSparse
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.symbol.symbol import Symbol
from hybridlint.runtime.util import is_np_array

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Classes of tensors.
tensor_types = (NDArray, Symbol)


def array_class() -> type[NDArray]:
    """Return the class of arrays that blocks currently create."""
    if not is_np_array():
        return NDArray
    found: type[NDArray] = importlib.import_module("hybridlint.runtime.numpy").ndarray
    return found


def new_array(values: Any, ctx: Context, dtype: Any = None) -> NDArray:
    """Return a copy of numpy `values` as an array on a device. Raises MXNetError if the device is unavailable."""
    raw = np.array(values, dtype=None if dtype is None else dtype_name(dtype))
    return array_class()(raw, require(ctx))


def stored(values: Any, ctx: Context, dtype: Any, stype: str) -> NDArray:
    """Return a copy of numpy `values` in a storage type; every row is stored, also those of zeros."""
    array = new_array(values, ctx, dtype)
    if stype == "default":
        return array
    if stype == "csr":
        return array.tostype("csr")
    kind: Any = stored_array.classes[stype]
    return kind(RowSparse(array.shape, array._host, np.arange(array.shape[0])), ctx)  # type: ignore[no-any-return]


def zeros(shape: Sequence[int], ctx: Context, dtype: Any, stype: str = "default") -> NDArray:
    """Return an array of zeros on a device. Raises MXNetError if the device is unavailable."""
    if stype != "default":
        return stored_array.classes[stype].zeros(shape, require(ctx), dtype_name(dtype))  # type: ignore[no-any-return]
    return array_class()(np.zeros(shape, dtype_name(dtype)), require(ctx))


def variable(name: str, **attributes: Any) -> Symbol:
    """Return a symbolic variable of the class that traces currently use."""
    from hybridlint.runtime.symbol import var

    return in_use(var(name, **attributes))


def variable_for(name: str, tensor: NDArray) -> Symbol:
    """Return a symbolic variable matching the class of an array, regardless of the current mode."""
    from hybridlint.runtime.symbol import var

    symbol = var(name)
    return symbol.as_np_ndarray() if tensor._scalars else symbol


def in_use(symbol: Symbol) -> Symbol:
    """Return the symbol as an instance of the class that traces currently use."""
    return symbol.as_np_ndarray() if is_np_array() else symbol


def operator_namespace(symbolic: bool) -> Any:
    """Return the F of `hybrid_forward`: ``mx.sym`` or ``mx.nd``."""
    from hybridlint.runtime import ndarray, symbol

    return symbol if symbolic else ndarray


class _NumpyOperators:
    """Operators under their ``mx.nd`` names, for arrays of numpy mode."""

    def __init__(self, F: Any) -> None:
        self._F = F

    def __getattr__(self, name: str) -> Any:
        found = in_numpy_mode(name)
        if found is None:
            # It takes legacy arrays only, as in MXNet.
            return getattr(self._F, name)
        space, own = found
        return getattr(getattr(self._F, space), own)


def operators(F: Any) -> Any:
    """Return a namespace with the operators of layers by ``mx.nd`` name, for the current kind of arrays."""
    return _NumpyOperators(F) if is_np_array() else F


def require_numpy_mode(value: Any) -> None:
    """Raise TypeError if nested lists contain a legacy tensor."""
    if isinstance(value, (list, tuple)):
        for item in value:
            require_numpy_mode(item)
    elif type(value) is NDArray or type(value) is Symbol:
        raise TypeError(
            f"in numpy mode blocks return tensors of numpy mode, but got a legacy {type(value).__name__}: "
            "is a legacy operator called in the block?"
        )
