"""Inputs mended after what the engine said of their shapes: an error often names the size that it wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hybridlint.verify.child.specs import Spec, TensorSpec

_SIZES = re.compile(r"(?:sizes|expected|got) (\d+)(?: and|, got|, expected) (\d+)")
_SHAPE = re.compile(r"[\[(]\s*(\d+(?:\s*,\s*\d+)*),?\s*[\])]")


def repaired(inputs: Mapping[str, Spec], sentence: str) -> Iterator[dict[str, Spec]]:
    """Iterate over inputs in which a size that was got is one that was expected, first in each alone, then in all."""
    for old, new in _swaps(sentence):
        changed = {name: _with_size(spec, old, new) for name, spec in inputs.items()}
        several = [name for name, spec in inputs.items() if changed[name] != spec]
        for name in several:
            yield {**inputs, name: changed[name]}
        if len(several) > 1:
            yield changed


def _swaps(sentence: str) -> list[tuple[int, int]]:
    """Return the pairs of sizes that an error says should be equal, either way around."""
    shapes = [tuple(int(size) for size in text.split(",")) for text in _SHAPE.findall(sentence)]
    pairs = [(int(left), int(right)) for left, right in _SIZES.findall(sentence)]
    for k in range(len(shapes) - 1):
        left, right = shapes[k], shapes[k + 1]
        axes = range(len(left) if len(left) == len(right) else 0)
        pairs += [(left[axis], right[axis]) for axis in axes if left[axis] != right[axis]]
    return list(dict.fromkeys(swap for left, right in pairs for swap in ((right, left), (left, right))))


def _with_size(spec: Spec, old: int, new: int) -> Spec:
    if isinstance(spec, list):
        return [_with_size(item, old, new) for item in spec]
    if not isinstance(spec, TensorSpec):
        return spec
    shape = tuple(new if size == old else size for size in spec.shape)
    return TensorSpec(shape, spec.dtype, spec.low, spec.high, spec.integers)
