"""How parameters declared row_sparse may be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.runtime.gluon.declared import DeclaredParameter


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
