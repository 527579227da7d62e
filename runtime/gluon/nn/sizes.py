"""Sizes that may be given once for all dimensions."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Sequence

Sizes: TypeAlias = "int | Sequence[int]"


def expand(value: Sizes, rank: int, what: str) -> tuple[int, ...]:
    """Return one size for each of `rank` dimensions. Raises AssertionError where another number of them is given."""
    sizes = (value,) * rank if isinstance(value, int) else tuple(value)
    if len(sizes) != rank:
        raise AssertionError(f"{what} must be a number or a list of {rank} ints")
    return sizes
