"""The sizes that an error says should be equal."""

from __future__ import annotations

import re

_SIZES = re.compile(r"(?:sizes|expected|got|size|shape) (\d+)(?: and|, got|, expected| does not match) (\d+)")
#: The error of an axis that does not divide into so many parts.
PARTS = re.compile(r"(\d+) elements do not divide into (\d+)")
#: The error of an image with another number of channels.
_CHANNELS = re.compile(r"expected (\d+) channels, got \(\d+, (\d+)")
_SHAPE = re.compile(r"[\[(]\s*(\d+(?:\s*,\s*\d+)*),?\s*[\])]")


def swaps(sentence: str) -> list[tuple[int, int]]:
    """Return the pairs of sizes that an error says should be equal, in both orders."""
    shapes = [tuple(int(size) for size in text.split(",")) for text in _SHAPE.findall(sentence)]
    pairs = [(int(left), int(right)) for left, right in _SIZES.findall(sentence)]
    pairs += [(int(parts), int(size)) for size, parts in PARTS.findall(sentence)]
    pairs += [(int(wanted), int(given)) for wanted, given in _CHANNELS.findall(sentence)]
    for k in range(len(shapes) - 1):
        left, right = shapes[k], shapes[k + 1]
        axes = range(len(left) if len(left) == len(right) else 0)
        pairs += [(left[axis], right[axis]) for axis in axes if left[axis] != right[axis]]
    return list(dict.fromkeys(swap for left, right in pairs for swap in ((right, left), (left, right))))
