"""The interface of parameters for their helpers."""

from __future__ import annotations

from typing import Any, Protocol


class DeclaredParameter(Protocol):
    """A parameter as it was declared."""

    name: str
    shape: Any
    dtype: Any
    _shape: Any
    _trainer: Any

    @property
    def stype(self) -> str:
        """The storage type: "default", "row_sparse" or "csr"."""
