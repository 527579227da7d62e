"""Operators that take parts of an array, by bounds or by indices."""

from __future__ import annotations

from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates

#: A bound beyond every array.
_END = 2**62


@translates("slice")
def _slice(call: OnnxCall) -> str:
    begins, ends = call.params["begin"], call.params["end"]
    steps = [step or 1 for step in call.params["step"] or (1,) * len(begins)]
    first = [b if b is not None else 0 if s > 0 else _END for b, s in zip(begins, steps, strict=True)]
    last = [e if e is not None else _END if s > 0 else -_END for e, s in zip(ends, steps, strict=True)]
    axes = call.ints(*range(len(first)))
    return call.emit("Slice", call.data, call.ints(*first), call.ints(*last), axes, call.ints(*steps))


@translates("slice_axis")
def _slice_axis(call: OnnxCall) -> str:
    begin, end = call.params["begin"], call.params["end"]
    return call.sliced(call.data, call.axis(call.params["axis"]), begin, _END if end is None else end)


@translates("slice_like")
def _slice_like(call: OnnxCall) -> str:
    axes = [call.axis(a) for a in call.params["axes"] or range(call.rank)]
    result = call.result_shape()
    ends = call.sizes(tuple(result[a] for a in axes))
    return call.emit("Slice", call.data, call.ints(*[0] * len(axes)), ends, call.ints(*axes))


@translates("Crop")
def _crop(call: OnnxCall) -> str:
    rows, columns = call.static(call.result_shape()[2:])
    top, left = call.params["offset"]
    if call.params["center_crop"]:
        height, width = call.static(call.shape[2:])
        top, left = (height - rows) // 2, (width - columns) // 2
    return call.emit("Slice", call.data, call.ints(top, left), call.ints(top + rows, left + columns), call.ints(2, 3))


def _bounded(call: OnnxCall, index: int, size: str, mode: str) -> str:
    """Return an input as indices below a size, a vector of one element."""
    whole = call.whole(index)
    if mode == "wrap":
        return call.emit("Mod", whole, size)
    if mode == "raise":
        return whole
    most = call.emit("Sub", size, call.ints(1))
    return call.emit("Min", call.emit("Max", whole, call.ints(0)), most)


@translates("Embedding", "_contrib_SparseEmbedding")
def _embedding(call: OnnxCall) -> str:
    size = call.ints(call.params["input_dim"])
    places = call.reshaped(_bounded(call, 0, size, "clip"), call.shape)
    return call.emit("Gather", call.input(1), places, axis=0)


@translates("take")
def _take(call: OnnxCall) -> str:
    axis = call.axis(call.params["axis"])
    places = _bounded(call, 1, call.sizes(call.shape[axis : axis + 1]), call.params["mode"])
    return call.emit("Gather", call.data, call.reshaped(places, call.shape_of(1)), axis=axis)


@translates("pick")
def _pick(call: OnnxCall) -> str:
    axis = call.axis(-1 if call.params["axis"] is None else call.params["axis"])
    places = _bounded(call, 1, call.sizes(call.shape[axis : axis + 1]), call.params["mode"])
    kept = tuple(1 if k == axis else size for k, size in enumerate(call.shape))
    picked = call.emit("GatherElements", call.data, call.reshaped(places, kept), axis=axis)
    return picked if call.params["keepdims"] else call.reshaped(picked, call.result_shape())


@translates("gather_nd")
def _gather_nd(call: OnnxCall) -> str:
    rank = len(call.shape_of(1))
    return call.emit("GatherND", call.data, call.transposed(call.whole(1), [*range(1, rank), 0]))


@translates("one_hot")
def _one_hot(call: OnnxCall) -> str:
    """By comparing: `OneHot` counts negative indices from the end, here they give no one."""
    depth = call.params["depth"]
    wide = call.emit("Unsqueeze", call.whole(0), call.ints(call.rank))
    on, off = (call.array(call.params[name]) for name in ("on_value", "off_value"))
    return call.emit("Where", call.emit("Equal", wide, call.ints(*range(depth))), on, off)


@translates("batch_take")
def _batch_take(call: OnnxCall) -> str:
    places = _bounded(call, 1, call.sizes(call.shape[1:2]), "clip")
    picked = call.emit("GatherElements", call.data, call.reshaped(places, (*call.shape[:1], 1)), axis=1)
    return call.reshaped(picked, call.result_shape())


@translates("SequenceMask")
def _sequence_mask(call: OnnxCall) -> str:
    if not call.params["use_sequence_length"]:
        return call.data
    inside = _within(call, call.params["axis"])
    return call.emit("Where", inside, call.data, call.array(call.params["value"]))


def _within(call: OnnxCall, axis: int) -> str:
    """Return which elements are within the length of their sequence, for data with time along axis 0 or 1."""
    (time,) = call.static(call.shape[axis : axis + 1])
    ones = (1,) * (call.rank - 2)
    steps = call.reshaped(call.ints(*range(time)), (time, 1, *ones) if axis == 0 else (1, time, *ones))
    batch = call.shape[1 - axis]
    lengths = call.reshaped(call.whole(1), (1, batch, *ones) if axis == 0 else (batch, 1, *ones))
    return call.emit("Less", steps, lengths)


@translates("SequenceLast")
def _sequence_last(call: OnnxCall) -> str:
    axis = call.params["axis"]
    if not call.params["use_sequence_length"]:
        last = call.sliced(call.data, axis, -1, _END)
        return call.emit("Squeeze", last, call.ints(axis))
    ends = call.emit("Max", call.emit("Sub", call.whole(1), call.ints(1)), call.ints(0))
    rows = call.transposed(call.data, [1, 0, *range(2, call.rank)]) if axis == 0 else call.data
    places = call.reshaped(ends, (*call.result_shape()[:1], 1))
    return call.emit("GatherND", rows, places, batch_dims=1)


@translates("SequenceReverse")
def _sequence_reverse(call: OnnxCall) -> str:
    if not call.params["use_sequence_length"]:
        return call.sliced(call.data, 0, -1, -_END, -1)
    return call.emit("ReverseSequence", call.data, call.whole(1), batch_axis=1, time_axis=0)


@translates("topk")
def _topk(call: OnnxCall) -> list[str]:
    axis, kind, flat = call.params["axis"], call.params["ret_typ"], call.params["axis"] is None
    data = call.reshaped(call.data, (-1,)) if flat else call.data
    place = 0 if flat else call.axis(axis)
    size = (call.params["k"] or call.shape[place]) if kind == "mask" else call.result_shape()[place]
    values, order = call.emit_several(
        "TopK", [data, call.sizes((size,))], 2, axis=place, largest=int(not call.params["is_ascend"]), sorted=1
    )
    if kind == "value":
        return [values]
    if kind == "mask":
        return [_mask(call, data, order, place)]
    indices = call.cast(order, call.outs[-1].dtype or "float32", "int64")
    return [values, indices] if kind == "both" else [indices]


def _mask(call: OnnxCall, data: str, places: str, axis: int) -> str:
    """Return 1 at the places along an axis, 0 elsewhere, in the shape of the first input."""
    nothing = call.emit("Expand", call.array(0), call.emit("Shape", data))
    ones = call.emit("Expand", call.array(1), call.emit("Shape", places))
    chosen = call.emit("ScatterElements", nothing, places, ones, axis=axis)
    return call.reshaped(chosen, call.shape) if call.params["axis"] is None else chosen


@translates("sort", "argsort")
def _sort(call: OnnxCall) -> str:
    axis, flat = call.params["axis"], call.params["axis"] is None
    data = call.reshaped(call.data, (-1,)) if flat else call.data
    place = 0 if flat else call.axis(axis)
    size = call.sizes(call.result_shape()[place : place + 1])
    values, order = call.emit_several(
        "TopK", [data, size], 2, axis=place, largest=int(not call.params["is_ascend"]), sorted=1
    )
    return call.cast(order, call.dtype, "int64") if "dtype" in call.params else values
