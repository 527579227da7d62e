"""Repairs for code that divides an axis into parts, such as frames of clips or a share of channels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import gcd, prod

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec

#: The errors of a reshape whose parts do not fit: how many elements there are, or their shape, and how many in a part.
_PARTS = re.compile(r"(\d+) elements do not divide into (\d+)")
_SHAPE_OF_PARTS = re.compile(r"\(([\d, ]+)\) does not divide by (\d+)")
#: The error of an axis of which nothing is left, such as an eighth of four channels.
_EMPTY = "a size of 0 is an unknown one"
#: Most parts that each item of a batch is thought to have.
_MOST_PARTS = 16
#: Channels that are enough for the usual shares.
_CHANNELS = 16
#: Axes of signals and images, at least.
_SIGNAL = 3


def divide_axes(inputs: Mapping[str, Spec], sizes: Mapping[str, int], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs whose batch is a multiple of the parts that a reshape makes, or with more channels.

    `sizes` maps each named size to the number that the failed run used for it.
    """
    parts = _parts_of_item(failure.sentence, sizes.get(BATCH, 0))
    batched = [name for name, spec in inputs.items() if isinstance(spec, TensorSpec) and spec.shape[:1] == (BATCH,)]
    if parts is not None:
        for names in dict.fromkeys([*((name,) for name in batched), tuple(batched)] if batched else []):
            yield {**inputs, **{name: _of_parts(inputs[name], parts) for name in names}}
    if _EMPTY in failure.sentence:
        for name, spec in inputs.items():
            if isinstance(spec, TensorSpec) and len(spec.shape) >= _SIGNAL and _is_few(spec.shape[1]):
                yield {**inputs, name: spec.reshaped((spec.shape[0], _CHANNELS, *spec.shape[2:]))}


def _parts_of_item(sentence: str, batch: int) -> int | None:
    """Return the number that must divide a batch for a reshape to fit; None if there is no such number."""
    match, shape = _PARTS.search(sentence), _SHAPE_OF_PARTS.search(sentence)
    if match is not None:
        elements, part = int(match[1]), int(match[2])
    elif shape is not None:
        elements, part = prod(int(size) for size in shape[1].split(",") if size.strip()), int(shape[2])
    else:
        return None
    if not batch or not part or elements % batch:
        return None
    parts = part // gcd(part, elements // batch)
    return parts if 1 < parts <= _MOST_PARTS else None


def _of_parts(spec: Spec, parts: int) -> Spec:
    assert isinstance(spec, TensorSpec)
    return spec.reshaped((f"{parts}{BATCH}", *spec.shape[1:]))


def _is_few(size: int | str) -> bool:
    return isinstance(size, int) and 1 < size < _CHANNELS
