"""Operators on shapes, and those that take parts of an array."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from hybridlint.runtime.contrib.onnx.onnx2mx.node import Node
from hybridlint.runtime.contrib.onnx.onnx2mx.reading import reads
from hybridlint.runtime.facts.dims import DimLike, product
from hybridlint.runtime.facts.types import Shape
from hybridlint.runtime.symbol.symbol import Symbol

#: Bounds beyond this are beyond every array.
_FAR = 2**31 - 1


@reads("Reshape")
def _reshape(node: Node) -> Symbol:
    wanted = node.sizes(1) if node.has(1) else tuple(node.attributes["shape"])
    if node.attributes.get("allowzero") and 0 in wanted:
        node.refuse("arrays without elements (allowzero=1) have no counterpart")
    copied: list[DimLike] = [node.shape[k] if size == 0 else size for k, size in enumerate(wanted)]
    if -1 not in copied:
        return node.reshape(node.data, tuple(copied))
    if all(isinstance(size, int) for size in copied):
        # Codes of MXNet have the same meaning here: 0 copies, -1 is inferred.
        return node.call("Reshape", node.data, shape=tuple(wanted))
    place = copied.index(-1)
    rest = product((*copied[:place], *copied[place + 1 :]))
    whole = product(node.shape)
    if isinstance(whole, int) and not isinstance(rest, int):
        node.refuse("the size to be inferred (-1) does not follow from the sizes of the inputs")
    copied[place] = whole // rest  # type: ignore[operator]
    return node.reshape(node.data, tuple(copied))


@reads("Flatten")
def _flatten(node: Node) -> Symbol:
    axis = node.attributes.get("axis", 1)
    if axis == 1:
        return node.call("Flatten", node.data)
    return node.reshape(node.data, (product(node.shape[:axis]), product(node.shape[axis:])))


@reads("Squeeze")
def _squeeze(node: Node) -> Symbol:
    axes = node.numbers(1, "axes")
    return node.call("squeeze", node.data, axis=None if axes is None else tuple(axes))


@reads("Unsqueeze")
def _unsqueeze(node: Node) -> Symbol:
    result, axes = node.data, node.numbers(1, "axes") or ()
    rank = node.rank + len(axes)
    for axis in sorted(a % rank for a in axes):
        result = node.call("expand_dims", result, axis=axis)
    return result


@reads("Transpose")
def _transpose(node: Node) -> Symbol:
    return node.call("transpose", node.data, axes=tuple(node.attributes.get("perm", ())))


@reads("Concat")
def _concat(node: Node) -> Symbol:
    parts = [node.input(k) for k in range(len(node.inputs))]
    return node.call("Concat", *parts, dim=node.axis())


@reads("Split")
def _split(node: Node) -> list[Symbol]:
    axis, sizes = node.axis(), node.numbers(1, "split")
    if sizes is None:
        return list(node.call("SliceChannel", node.data, num_outputs=node.outputs, axis=axis))
    starts = tuple(accumulate((0, *sizes[:-1])))
    return list(node.call("_split_v2", node.data, indices=starts, axis=axis))


@reads("Slice")
def _slice(node: Node) -> Symbol:
    begins, ends = (_bounds(node, k, name) for k, name in ((1, "starts"), (2, "ends")))
    axes = node.numbers(3, "axes") or tuple(range(len(begins)))
    steps = node.numbers(4, "steps") or (1,) * len(begins)
    begin: list[int | None] = [None] * node.rank
    end: list[int | None] = [None] * node.rank
    step: list[int | None] = [None] * node.rank
    for axis, first, last, by in zip(axes, begins, ends, steps, strict=True):
        place = axis % node.rank
        begin[place], end[place], step[place] = _near(first), _near(_last(node, place, last)), by
    if by_one := all(by in {None, 1} for by in step):
        step = []
    return node.call("slice", node.data, begin=tuple(begin), end=tuple(end), step=() if by_one else tuple(step))


def _bounds(node: Node, index: int, name: str) -> tuple[DimLike, ...]:
    return node.sizes(index) if node.has(index) else tuple(node.attributes[name])


def _last(node: Node, axis: int, bound: DimLike) -> int:
    """Return a bound as a number. A bound that is the size of the axis means the end."""
    if isinstance(bound, int):
        return bound
    return _FAR if bound == node.shape[axis] else node.refuse("its bounds must not be dynamic")


def _near(bound: DimLike) -> int | None:
    return bound if isinstance(bound, int) and abs(bound) < _FAR else None


@reads("Gather")
def _gather(node: Node) -> Symbol:
    """Return the rows taken; indices may count from the end, as those that wrap around do."""
    axis = node.axis()
    scalar = node.is_constant(1) and node.constant(1).ndim == 0
    result = node.call("take", node.data, node.input(1), axis=axis, mode="wrap")
    if not scalar:
        return result
    return node.call("squeeze", result, axis=(axis,)) if node.rank > 1 else result


@reads("GatherElements")
def _gather_elements(node: Node) -> Symbol:
    axis = node.axis()
    places = node.shape_of(node.input(1))
    if places != tuple(1 if k == axis else size for k, size in enumerate(node.shape)):
        node.refuse("more than one element along its axis has no counterpart")
    return node.call("pick", node.data, node.input(1), axis=axis, keepdims=True, mode="wrap")


@reads("GatherND")
def _gather_nd(node: Node) -> Symbol:
    rank = len(node.shape_of(node.input(1)))
    if node.attributes.get("batch_dims"):
        node.refuse("batches of indices (batch_dims) have no counterpart")
    return node.call("gather_nd", node.data, node.call("transpose", node.input(1), axes=(rank - 1, *range(rank - 1))))


@reads("OneHot")
def _one_hot(node: Node) -> Symbol:
    (depth,) = (int(n) for n in np.asarray(node.constant(1)).reshape(-1))
    off, on = (float(n) for n in np.asarray(node.constant(2)).reshape(-1))
    if node.attributes.get("axis", -1) not in {-1, node.rank}:
        node.refuse("an axis that is not the last has no counterpart")
    dtype = np.asarray(node.constant(2)).dtype.name
    return node.call("one_hot", node.data, depth=depth, on_value=on, off_value=off, dtype=dtype)


@reads("Expand")
def _expand(node: Node) -> Symbol:
    """Return the data broadcast with a shape, in which they may be the larger."""
    wanted = node.sizes(1)
    rank = max(len(wanted), node.rank)
    before: Shape = (*(1,) * (rank - node.rank), *node.shape)
    wanted = (*(1,) * (rank - len(wanted)), *wanted)
    data = node.data if node.rank == rank else node.reshape(node.data, before)
    target = tuple(old if new in {1, old} else new for old, new in zip(before, wanted, strict=True))
    sizes = [0 if new == old else new for old, new in zip(before, target, strict=True)]
    if not any(sizes):
        return data
    return node.call("broadcast_to", data, shape=node.static(tuple(sizes)))


@reads("Tile")
def _tile(node: Node) -> Symbol:
    return node.call("tile", node.data, reps=tuple(int(n) for n in node.constant(1)))


@reads("Pad")
def _pad(node: Node) -> Symbol:
    widths = node.numbers(1, "pads") or ()
    mode = node.attributes.get("mode", "constant")
    value = float(np.asarray(node.constant(2)).reshape(-1)[0]) if node.has(2) else node.attributes.get("value", 0.0)
    pairs = tuple(zip(widths[: node.rank], widths[node.rank :], strict=True))
    if node.rank in {4, 5} and not any(pairs[0] + pairs[1]) and min(widths) >= 0:
        flat = tuple(n for pair in pairs for n in pair)
        return node.call("Pad", node.data, mode=mode, pad_width=flat, constant_value=value)
    return node.call("_npi_pad", node.data, pad_width=pairs, mode=mode, constant_value=value)


@reads("DepthToSpace")
def _depth_to_space(node: Node) -> Symbol:
    if node.attributes.get("mode", "DCR") != "DCR":
        node.refuse("the order CRD has no counterpart")
    return node.call("depth_to_space", node.data, block_size=node.attributes["blocksize"])


@reads("SpaceToDepth")
def _space_to_depth(node: Node) -> Symbol:
    return node.call("space_to_depth", node.data, block_size=node.attributes["blocksize"])


@reads("Size")
def _size(node: Node) -> Symbol:
    return node.call("size_array", node.data)


@reads("ReverseSequence")
def _reverse_sequence(node: Node) -> Symbol:
    if node.attributes.get("time_axis", 0) != 0 or node.attributes.get("batch_axis", 1) != 1:
        node.refuse("it needs time on axis 0 and examples on axis 1")
    return node.call("SequenceReverse", node.data, node.input(1), use_sequence_length=True)


@reads("TopK")
def _topk(node: Node) -> list[Symbol]:
    (k,) = node.numbers(1, "k") or (1,)
    ascending = not node.attributes.get("largest", 1)
    both = node.call("topk", node.data, axis=node.axis(-1), k=k, ret_typ="both", is_ascend=ascending, dtype="int64")
    return list(both)
