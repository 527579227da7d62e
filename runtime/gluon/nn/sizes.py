"""Sizes that may be given once for all dimensions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

Sizes: TypeAlias = "int | Sequence[int]"


def expand(value: Sizes, rank: int, what: str) -> tuple[int, ...]:
    """Return one size for each of `rank` dimensions. Raises AssertionError where another number of them is given."""
    sizes = tuple(value) if isinstance(value, Iterable) else (value,) * rank
    if len(sizes) != rank:
        raise AssertionError(f"{what} must be a number or a list of {rank} ints")
    return sizes
