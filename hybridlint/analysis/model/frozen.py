"""Dataclasses that nobody changes. Type checkers hold everybody to it.

That Python holds them to it too makes constructing them take three times as long, which is a twentieth of an analysis.
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

    def record(*, frozen: bool, slots: bool, eq: bool = True, repr: bool = True) -> Callable[[type[T]], type[T]]:  # noqa: A002
        """Return the decorator `dataclass`; what it makes can be hashed as if it were frozen."""
        assert frozen
        return dataclass(slots=slots, eq=eq, repr=repr, unsafe_hash=eq)
