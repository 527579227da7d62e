"""Shapes with unknown sizes, written 0 (or -1 in numpy mode)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from hybridlint.runtime.core.operator_params import plain_sizes

if TYPE_CHECKING:
    from collections.abc import Sequence

Sizes: TypeAlias = tuple[int, ...]


def normalize(shape: int | Sequence[int] | None) -> Sizes | None:
    """Return a shape as a tuple. An integer is a shape of one dimension."""
    if shape is None:
        return None
    return (shape,) if isinstance(shape, int) else plain_sizes(shape)


def is_known(shape: Sizes | None) -> bool:
    """Whether the rank and all sizes are known."""
    return shape is not None and all(size > 0 for size in shape)


def merge(known: Sizes | None, given: Sizes) -> Sizes | None:
    """Return `known` with unknown sizes filled in from `given`; None if they conflict."""
    if known is None:
        return given
    if len(known) != len(given) or any(a > 0 and b > 0 and a != b for a, b in zip(known, given, strict=True)):
        return None
    return tuple(a if a > 0 else b for a, b in zip(known, given, strict=True))
