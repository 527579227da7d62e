"""Repairs of inputs after an error of MXNet or the runtime, which often names the expected size, rank or dtype."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from hybridlint.proving.child.errors import Failure
from hybridlint.proving.child.inputs.repairs import spatial_sizes
from hybridlint.proving.child.inputs.repairs.divided_axes import divide_axes
from hybridlint.proving.child.inputs.repairs.fewer_values import with_fewer_values
from hybridlint.proving.child.inputs.repairs.same_shapes import same_shapes
from hybridlint.proving.child.specs.spec import BATCH, Spec, TensorSpec, ValueSpec, names
from hybridlint.proving.child.unequal_sizes import PARTS, swaps

if TYPE_CHECKING:
    from collections.abc import Callable

_FEWER = re.compile(r"expected (\d) dimensions, got (\d)")
#: Channels of an image whose channels are free.
_CHANNEL_COUNT = 3
#: The error of an array of rows, such as regions, that have another length.
_NUMBERS = re.compile(r"expected (\d+) numbers for each \w+, got \((?:\d+, )*(\d+)\)")
_RANK = re.compile(
    r"expected (?:at least )?(\d|one|two|three)(?: to \d| or \d)?[ -](?:dimension|d\b)|(\d)-?[dD] (?:input|tensor)"
)
_AXIS = re.compile(r"axis (-?\d+) of a tensor of (\d+) dimensions|axis (-?\d+) (?:is )?out of (?:range|bounds)")
_UNPACK = re.compile(r"expected (\d+)(?:, got (\d+))?\)")
_DTYPE = re.compile(r"expected (?:dtype )?(bool|u?int\d+|float\d+)\b|expected (?:bool or )?an? (integer|float)")
_RESHAPE = re.compile(r"reshape .*into (?:shape )?[(\[]([-\d, ]+)[)\]]")
#: An error of code that treats a larger batch as a batch of one.
_ONE = re.compile(r"shape: \((?!1,)\d+, [\d, ]+\) cannot be reshaped to \(1, ")
_JOINED = re.compile(r"(\d) and (\d) dimensions cannot be joined")
_WORDS = {"one": 1, "two": 2, "three": 3}
#: Most sizes of the block itself that are tried for one axis.
_MOST_OWNED = 3
#: Names of the sizes of added axes.
_ADDED = ("T", "H", "W", "D")


def repair_by_error(
    inputs: Mapping[str, Spec], sizes: Mapping[str, int], failure: Failure
) -> Iterator[dict[str, Spec]]:
    """Yield versions of `inputs` that may avoid a failure; for most repairs first with one input changed, then all.

    `sizes` maps each named size to the number that the failed run used for it.
    """
    if _ONE.search(failure.sentence) and BATCH in sizes:
        yield {name: _with_batch(spec, 1) for name, spec in inputs.items()}
    yield from _of_count(inputs, failure)
    yield from divide_axes(inputs, sizes, failure)
    yield from with_fewer_values(inputs, failure)
    yield from same_shapes(inputs, sizes, failure)
    for old, new in swaps(failure.sentence):
        yield from _changed(inputs, list(inputs), partial(_with_size, sizes=sizes, old=old, new=new))
    yield from _of_last(inputs, sizes, failure)
    yield from spatial_sizes.scale_images(inputs, sizes, failure.sentence, swaps(failure.sentence))
    named = [name for name in inputs if name in failure.blame.names]
    yield from _of_rank(inputs, named, failure)
    yield from _of_missing_axes(inputs, failure)
    yield from _of_joined(inputs, failure)
    yield from _of_split_axis(inputs, failure)
    yield from _of_reshape(inputs, named, failure)
    yield from _of_dtype(inputs, named, failure)
    yield from _of_kind(inputs, named, failure)
    # A block may be made for batches of one size.
    for new in [new for old, new in swaps(failure.sentence) if old == sizes.get(BATCH)]:
        yield {name: _with_batch(spec, new) for name, spec in inputs.items()}


def _changed(
    inputs: Mapping[str, Spec], names: Sequence[str], change: Callable[[Spec], Spec]
) -> Iterator[dict[str, Spec]]:
    changed = {name: change(inputs[name]) for name in names}
    several = [name for name, spec in changed.items() if spec != inputs[name]]
    for name in several:
        yield {**inputs, name: changed[name]}
    if len(several) > 1:
        yield {**inputs, **changed}


def _with_size(spec: Spec, sizes: Mapping[str, int], old: int, new: int) -> Spec:
    if isinstance(spec, list):
        return [_with_size(item, sizes, old, new) for item in spec]
    if not isinstance(spec, TensorSpec):
        return spec
    # The first axis is mostly the batch, which no layer expects to have a fixed size.
    shape = tuple(
        new if size == old or (k and isinstance(size, str) and sizes.get(size) == old) else size
        for k, size in enumerate(spec.shape)
    )
    return spec.reshaped(shape)


def of_block(inputs: Mapping[str, Spec], owned: Sequence[int]) -> Iterator[dict[str, Spec]]:
    """Yield versions of `inputs` in which a size in `owned` (sizes that the block defines) replaces a named size."""
    for name in (name for name in names(list(inputs.values())) if name != BATCH):
        for size in owned[:_MOST_OWNED]:
            yield {key: _with_size(spec, {name: -1}, -1, size) for key, spec in inputs.items()}


def _with_batch(spec: Spec, number: int) -> Spec:
    if isinstance(spec, list):
        return [_with_batch(item, number) for item in spec]
    if not isinstance(spec, TensorSpec):
        return spec
    return spec.reshaped(tuple(number if size == BATCH else size for size in spec.shape))


def _of_last(inputs: Mapping[str, Spec], sizes: Mapping[str, int], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs whose last axis grows or shrinks by the error in the last axis of a computed array."""
    match = _NUMBERS.search(failure.sentence)
    if match is None:
        return
    off = int(match[1]) - int(match[2])
    for name, spec in inputs.items():
        if isinstance(spec, TensorSpec) and spec.shape:
            last = sizes.get(spec.shape[-1], 0) if isinstance(spec.shape[-1], str) else spec.shape[-1]
            if last + off > 0:
                yield {**inputs, name: spec.reshaped((*spec.shape[:-1], last + off))}


def _of_count(inputs: Mapping[str, Spec], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs with as many variadic ones as the failing statement unpacks ``*inputs`` into."""
    unpacked = _UNPACK.search(failure.sentence) if "unpack" in failure.sentence else None
    places = [operand.place for operand in failure.operands if operand.place is not None]
    several = [name for name in inputs if (name,) in places]
    if unpacked is None or len(several) != len(failure.operands) or len(several) < 2:
        return
    kept = {name: spec for name, spec in inputs.items() if name not in several}
    count = int(unpacked[1])
    more = [f"{several[0]}{k}" for k in range(1, count)]
    yield {**kept, **dict.fromkeys([*several, *more][:count], inputs[several[0]])}


def _of_rank(inputs: Mapping[str, Spec], names: list[str], failure: Failure) -> Iterator[dict[str, Spec]]:
    for rank in _ranks(failure):
        if not names:
            yield {name: _with_rank(spec, rank) for name, spec in inputs.items()}
        yield from _changed(inputs, names, partial(_with_rank, rank=rank))


def _ranks(failure: Failure) -> list[int]:
    """Return the numbers of dimensions that an error message, or the failing statement, expects."""
    found: list[int] = []
    for match in _RANK.finditer(failure.sentence):
        text = match[1] or match[2]
        found.append(_WORDS[text] if text in _WORDS else int(text))
    for match in _AXIS.finditer(failure.sentence):
        axis = int(match[1] or match[3])
        found.append(axis + 1 if axis >= 0 else -axis)
    unpacked = _UNPACK.search(failure.sentence)
    if unpacked and "unpack" in failure.sentence and "shape" in failure.blame.statement:
        found.append(int(unpacked[1]))
    if "index out of range" in failure.sentence and "shape" in failure.blame.statement:
        found += [3, 4]
    return [rank for rank in dict.fromkeys(found) if 0 < rank < 7]


def _of_joined(inputs: Mapping[str, Spec], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs with fewer axes, one input at a time, if arrays of different ranks cannot be joined."""
    match = _JOINED.search(failure.sentence)
    less = abs(int(match[1]) - int(match[2])) if match else 0
    for name, spec in inputs.items():
        if less and isinstance(spec, TensorSpec) and len(spec.shape) > less:
            yield {**inputs, name: spec.reshaped(spec.shape[: len(spec.shape) - less])}


def _with_rank(spec: Spec, rank: int) -> Spec:
    if not isinstance(spec, TensorSpec) or len(spec.shape) == rank:
        return spec
    if len(spec.shape) > rank:
        return spec.reshaped((*spec.shape[: rank - 1], spec.shape[-1]) if rank > 1 else spec.shape[:1])
    free = [name for name in _ADDED if name not in spec.shape]
    return spec.reshaped((*spec.shape[:1], *free[: rank - len(spec.shape)], *spec.shape[1:]))


def _of_missing_axes(inputs: Mapping[str, Spec], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs with one more axis, for code that joins two axes or takes items before a layer.

    The axis is one of steps, or one of channels after the axis of the items.
    """
    match = _FEWER.search(failure.sentence)
    if match is None or int(match[1]) != int(match[2]) + 1:
        return
    for name, spec in inputs.items():
        if isinstance(spec, TensorSpec) and len(spec.shape) == int(match[1]):
            step = next(size for size in _ADDED if size not in spec.shape)
            yield {**inputs, name: spec.reshaped((spec.shape[0], step, *spec.shape[1:]))}
            yield {**inputs, name: spec.reshaped((*spec.shape[:2], _CHANNEL_COUNT, *spec.shape[2:]))}


def _of_split_axis(inputs: Mapping[str, Spec], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs in which a free size is the number of parts that a reshape splits a joined axis into."""
    for _, part in PARTS.findall(failure.sentence):
        for name in (name for name in names(list(inputs.values())) if name != BATCH):
            yield {key: _with_size(spec, {name: -1}, -1, int(part)) for key, spec in inputs.items()}


def _of_reshape(inputs: Mapping[str, Spec], names: list[str], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs for a reshape that failed.

    They have the reshape's target shape. If that contains 0 (MXNet: keep this axis), they have enough axes to keep.
    """
    match = _RESHAPE.search(failure.sentence)
    sizes = [int(size) for size in match[1].split(",") if size.strip()] if match else []
    if not sizes or min(sizes) < -1:
        return
    if 0 in sizes:
        rank = max(place for place, size in enumerate(sizes) if size == 0) + 2
        width = int(np.prod([size for size in sizes if size > 0]))
        shape: tuple[int | str, ...] = (BATCH, *_ADDED[: max(rank - 2, 0)], width)
    else:
        shape = (BATCH if sizes[0] == -1 else sizes[0], *(size for size in sizes[1:] if size > 0))
    yield from _changed(inputs, names or list(inputs), partial(_with_shape, shape=shape))


def _with_shape(spec: Spec, shape: tuple[int | str, ...]) -> Spec:
    return spec.reshaped(shape) if isinstance(spec, TensorSpec) else spec


def _of_dtype(inputs: Mapping[str, Spec], names: list[str], failure: Failure) -> Iterator[dict[str, Spec]]:
    match = _DTYPE.search(failure.sentence)
    if match is None:
        return
    dtype = match[1] or {"integer": "int32", "float": "float32"}[match[2]]
    yield from _changed(inputs, names or list(inputs), partial(_with_dtype, dtype=dtype))


def _with_dtype(spec: Spec, dtype: str) -> Spec:
    if isinstance(spec, list):
        return [_with_dtype(item, dtype) for item in spec]
    return spec.cast(dtype) if isinstance(spec, TensorSpec) else spec


def _of_kind(inputs: Mapping[str, Spec], names: list[str], failure: Failure) -> Iterator[dict[str, Spec]]:
    """Yield inputs of another kind: lists if the code unpacks or iterates them, else tensors, or integers."""
    sentence, statement = failure.sentence, failure.blame.statement
    unpacked = _UNPACK.search(sentence) if "unpack" in sentence else None
    if unpacked and "shape" not in statement:
        yield from _changed(inputs, names, partial(_listed, count=int(unpacked[1])))
    elif "has no len" in sentence or "not iterable" in sentence or "must be a list" in sentence:
        for count in (2, 1, 3):
            yield from _changed(inputs, names, partial(_listed, count=count))
    elif re.search(r"'list' object has no attribute|unsupported operand .*'list'|indices must be integers", sentence):
        yield from _changed(inputs, names, lambda spec: spec[0] if isinstance(spec, list) and spec else spec)
    elif "cannot be interpreted as an integer" in sentence or "must be int" in sentence:
        yield from _changed(inputs, names, lambda spec: ValueSpec("2") if isinstance(spec, TensorSpec) else spec)


def _listed(spec: Spec, count: int) -> Spec:
    if isinstance(spec, ValueSpec):
        return spec
    return [spec[0] if isinstance(spec, list) and spec else spec] * count
