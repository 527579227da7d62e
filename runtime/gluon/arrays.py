"""The one place where Gluon chooses the kind of array and of symbol: NDArray and Symbol, or those of numpy mode."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.context import Context, require
from hybridlint.runtime.ndarray.ndarray import NDArray
from hybridlint.runtime.params import dtype_name
from hybridlint.runtime.symbol.symbol import Symbol
from hybridlint.runtime.util import is_np_array

if TYPE_CHECKING:
    from collections.abc import Sequence

#: Classes that stand for a tensor.
tensor_types = (NDArray, Symbol)


def array_class() -> type[NDArray]:
    """Return the class of the arrays that blocks make now."""
    if not is_np_array():
        return NDArray
    found: type[NDArray] = importlib.import_module("hybridlint.runtime.numpy").ndarray
    return found


def new_array(values: Any, ctx: Context, dtype: Any = None) -> NDArray:
    """Return a copy of numpy `values` as an array on a device. Raises MXNetError where the device cannot be used."""
    raw = np.array(values, dtype=None if dtype is None else dtype_name(dtype))
    return array_class()(raw, require(ctx))


def zeros(shape: Sequence[int], ctx: Context, dtype: Any) -> NDArray:
    """Return an array of zeros on a device. Raises MXNetError where the device cannot be used."""
    return array_class()(np.zeros(shape, dtype_name(dtype)), require(ctx))


def variable(name: str, **attributes: Any) -> Symbol:
    """Return a symbolic variable of the kind that traces use now."""
    from hybridlint.runtime.symbol import var

    found = var(name, **attributes)
    return found.as_np_ndarray() if is_np_array() else found


def operator_namespace(symbolic: bool) -> Any:
    """Return what `hybrid_forward` gets as F: ``mx.sym`` or ``mx.nd``."""
    from hybridlint.runtime import ndarray, symbol

    return symbol if symbolic else ndarray
