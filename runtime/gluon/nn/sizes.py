"""Sizes given as one number for all dimensions, or one per dimension."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Sizes: TypeAlias = "int | Sequence[int]"


def expand(value: Sizes, rank: int, what: str) -> tuple[int, ...]:
    """Return one size per dimension. Raises AssertionError if the number of sizes is not `rank`."""
    sizes = tuple(value) if isinstance(value, Iterable) else (value,) * rank
    if len(sizes) != rank:
        raise AssertionError(f"{what} must be a number or a list of {rank} ints")
    return sizes
