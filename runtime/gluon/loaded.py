"""Checks of values loaded from files for parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hybridlint.runtime.base import UnfitFileError
from hybridlint.runtime.core.operator_params import dtype_name
from hybridlint.runtime.gluon.shapes import merge

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.declared import DeclaredParameter
    from hybridlint.runtime.ndarray.ndarray import NDArray


def fitting(param: DeclaredParameter, data: NDArray, *, cast_dtype: bool, dtype_source: str) -> tuple[NDArray, Any]:
    """Return the values converted for the parameter, and the parameter's dtype afterwards.

    With `cast_dtype`, `dtype_source` selects the dtype: the parameter's (``current``) or that of the values
    (``saved``). Otherwise the two must agree. Raises UnfitFileError if shape or dtype does not fit.
    """
    if dtype_source not in {"current", "saved"}:
        raise AssertionError(f"dtype_source must be 'current' or 'saved', but got {dtype_source!r}")
    failed = f"Failed loading Parameter '{param.name}' from saved params: "
    if merge(param._shape, data.shape) is None:
        raise UnfitFileError(f"{failed}shape incompatible expected {param.shape} vs saved {data.shape}")
    if cast_dtype and dtype_source == "saved":
        return data, data.dtype
    if np.dtype(dtype_name(param.dtype)) == data.dtype:
        return data, param.dtype
    if not cast_dtype:
        raise UnfitFileError(
            f"{failed}dtype incompatible expected {param.dtype} vs saved {data.dtype}. "
            "Set cast_dtype=True to cast the dtype of saved params."
        )
    return data.astype(param.dtype), param.dtype
