"""Smaller channels and units in place of those of a real call, so that a block runs fast and its sizes still fit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial, reduce

#: Whole numbers, and lists of them, written out: ``2048``, ``[64, 128, 256]``.
_WHOLE = re.compile(r"[\s()\[\],]*\d+(?:[\s()\[\],]+\d+)*[\s()\[\],]*")
_NUMBER = re.compile(r"\d+")
#: The least number that counts as a size to be made smaller, and the least that it may become: first, and if a block
#: divides it further, for example by 4 and then by 8.
_LARGE, _LEAST = 32, (16, 64)


def small_first(called: Mapping[str, str]) -> Iterator[Mapping[str, str]]:
    """Yield a call's arguments with all large sizes divided by one power of two, if it divides them, then as they are.

    One divisor keeps each size's ratio to the others: ``Block(728, 1024)`` becomes ``Block(91, 128)``.
    """
    whole = {name: text for name, text in called.items() if _WHOLE.fullmatch(text)}
    sizes = [size for text in whole.values() for size in map(int, _NUMBER.findall(text)) if size >= _LARGE]
    for divisor in dict.fromkeys(_divisor(sizes, least) for least in _LEAST):
        if divisor > 1:
            smaller = partial(_NUMBER.sub, partial(_divided, divisor))
            yield {**called, **{name: smaller(text) for name, text in whole.items()}}
    yield called


def _divided(divisor: int, size: re.Match[str]) -> str:
    return str(int(size[0]) // divisor) if int(size[0]) >= _LARGE else size[0]


def _divisor(sizes: Sequence[int], least: int) -> int:
    """Return the largest power of two that divides all sizes and leaves them at least so large."""
    common, divisor = reduce(math.gcd, sizes, 0), 1
    while sizes and common % (2 * divisor) == 0 and min(sizes) // (2 * divisor) >= least:
        divisor *= 2
    return divisor
