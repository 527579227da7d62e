"""Frozen dataclasses whose immutability type checkers enforce, not the interpreter at run time.

Python's own check makes constructing them three times slower, which costs a twentieth of an analysis.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

__all__ = ["record"]

if TYPE_CHECKING:
    from dataclasses import dataclass as record
else:
    T = TypeVar("T")

    def record(*, frozen: bool, slots: bool, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]:
        """Return a decorator like ``dataclass(frozen=True)``, without its check of assignments."""
        assert frozen
        return dataclass(slots=slots, eq=eq, repr=repr, unsafe_hash=eq)
