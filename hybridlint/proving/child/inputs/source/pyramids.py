"""Inputs that are lists of feature maps: one map for each channel count of the block, each half as large."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec

#: Fewest and most levels of a pyramid, and the size of its top.
_FEWEST, _MOST, _TOP = 2, 6, 2


def pyramids(block: Any, names: Sequence[str], lists: set[str]) -> Iterator[dict[str, Spec]]:
    """Yield specs of the inputs `names`; a name in `lists` gets one feature map for each channel count.

    The largest map comes first, as backbones return them. Nothing is yielded if the block stores no list of channel
    counts.
    """
    listed = [name for name in names if name in lists]
    if not listed:
        return
    for channels in _channels(block):
        maps: list[Any] = [
            TensorSpec((BATCH, count, *[_TOP * 2 ** (len(channels) - 1 - level)] * 2))
            for level, count in enumerate(channels)
        ]
        yield {name: maps if name in listed else maps[0] for name in names}


def _channels(block: Any) -> Iterator[tuple[int, ...]]:
    found: dict[tuple[int, ...], None] = {}
    for value in vars(block).values():
        items = value.tolist() if isinstance(value, np.ndarray) else value
        if isinstance(items, (list, tuple)) and _FEWEST <= len(items) <= _MOST and all(map(_is_number, items)):
            found.setdefault(tuple(items))
    yield from found


def _is_number(item: Any) -> bool:
    return type(item) is int and item > 0
