"""The interface of parameters for their helpers."""

from __future__ import annotations

from typing import Any, Protocol


class DeclaredParameter(Protocol):
    """The part of a Parameter that helpers read, so that they need not import the class."""

    name: str
    shape: Any
    dtype: Any
    _shape: Any
    _trainer: Any

    @property
    def stype(self) -> str:
        """The storage type: "default", "row_sparse" or "csr"."""
