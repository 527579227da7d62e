"""Parameters declared row_sparse. Their arrays are dense in this runtime, but accessed as in MXNet."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hybridlint.runtime.gluon import arrays

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.declared import DeclaredParameter
    from hybridlint.runtime.ndarray.ndarray import NDArray


def require_dense(param: DeclaredParameter, what: str) -> None:
    """Raise RuntimeError for a row_sparse parameter."""
    if param.stype != "default":
        raise RuntimeError(
            f"Cannot return {what} because its storage type is {param.stype}. Please use row_sparse_data() instead."
        )


def require_row_sparse(param: DeclaredParameter, what: str) -> None:
    """Raise RuntimeError for a parameter of another storage type, and for one without a Trainer."""
    if param.stype != "row_sparse":
        raise RuntimeError(
            f"Cannot return {what} because its storage type is {param.stype}. Please use data() instead."
        )
    if param._trainer is None:
        raise RuntimeError(
            f"Cannot get row_sparse data for Parameter '{param.name}' when no Trainer is created with it."
        )


def rows(array: NDArray, row_id: NDArray) -> NDArray:
    """Return the array with zeros in all rows except `row_id`; differentiable."""
    mask = np.zeros(array.shape, array.dtype)
    mask[row_id.asnumpy().astype(np.int64).ravel()] = 1
    chosen: NDArray = array * arrays.new_array(mask, array.context)
    return chosen
