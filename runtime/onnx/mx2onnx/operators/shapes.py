"""Operators that give the same elements another shape or order, or that join, split and repeat them."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from hybridlint.runtime.facts.types import Shape
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates


@translates(
    "Reshape", "Flatten", "expand_dims", "squeeze", "reshape_like", "_np_reshape", "_npx_reshape", "_np_squeeze"
)
def _reshape(call: OnnxCall) -> str:
    """Into the shape that follows from the types: sizes of the inputs need not be known for that."""
    if call.params.get("order", "C") != "C":
        call.refuse(f"order {call.params['order']!r} is not supported, only 'C'")
    return call.reshaped(call.data, call.result_shape())


@translates("transpose", "_np_transpose")
def _transpose(call: OnnxCall) -> str:
    axes = call.params["axes"] or tuple(range(call.rank))[::-1]
    return call.transposed(call.data, [call.axis(a) for a in axes])


@translates("SwapAxis")
def _swap(call: OnnxCall) -> str:
    order = list(range(call.rank))
    first, second = call.axis(call.params["dim1"]), call.axis(call.params["dim2"])
    order[first], order[second] = second, first
    return call.transposed(call.data, order)


@translates("_np_moveaxis")
def _moveaxis(call: OnnxCall) -> str:
    source, target = ([call.axis(a) for a in call.params[name]] for name in ("source", "destination"))
    rest = iter(a for a in range(call.rank) if a not in source)
    placed = dict(zip(target, source, strict=True))
    return call.transposed(call.data, [placed[k] if k in placed else next(rest) for k in range(call.rank)])


@translates("reverse", "_npi_flip")
def _reverse(call: OnnxCall) -> str:
    axis = call.params["axis"]
    chosen = range(call.rank) if axis is None else [axis] if isinstance(axis, int) else axis
    axes = [call.axis(a) for a in chosen]
    if not axes:
        return call.data
    steps = call.ints(*[-1] * len(axes))
    return call.emit("Slice", call.data, steps, call.ints(*[-(2**62)] * len(axes)), call.ints(*axes), steps)


@translates("depth_to_space")
def _depth_to_space(call: OnnxCall) -> str:
    return call.emit("DepthToSpace", call.data, blocksize=call.params["block_size"], mode="DCR")


@translates("space_to_depth")
def _space_to_depth(call: OnnxCall) -> str:
    return call.emit("SpaceToDepth", call.data, blocksize=call.params["block_size"])


@translates("Concat", "_rnn_param_concat")
def _concat(call: OnnxCall) -> str:
    return _joined(call, call.params["dim"])


@translates("_npi_concatenate")
def _concatenate(call: OnnxCall) -> str:
    if call.params["axis"] is None:
        flat = [call.reshaped(call.input(k), (-1,)) for k in range(len(call.inputs))]
        return call.emit("Concat", *flat, axis=0)
    return _joined(call, call.params["axis"])


def _joined(call: OnnxCall, axis: int) -> str:
    values = [call.cast(call.input(k), call.dtype, call.ins[k].dtype) for k in range(len(call.inputs))]
    return call.emit("Concat", *values, axis=call.axis(axis))


@translates("stack", "_npi_stack")
def _stack(call: OnnxCall) -> str:
    axis = call.params["axis"] % (call.rank + 1)
    place = call.ints(axis)
    values = [call.cast(call.input(k), call.dtype, call.ins[k].dtype) for k in range(len(call.inputs))]
    return call.emit("Concat", *[call.emit("Unsqueeze", value, place) for value in values], axis=axis)


def _parts(call: OnnxCall, sizes: list[int], axis: int, squeezed: bool) -> list[str]:
    if len(sizes) == 1 and not squeezed:
        return [call.data]
    parts = call.emit_several("Split", [call.data, call.ints(*sizes)], len(sizes), axis=axis)
    return [call.emit("Squeeze", part, call.ints(axis)) for part in parts] if squeezed else parts


@translates("SliceChannel")
def _split(call: OnnxCall) -> list[str]:
    axis, count = call.axis(call.params["axis"]), call.params["num_outputs"]
    (size,) = call.static(call.shape[axis : axis + 1])
    return _parts(call, [size // count] * count, axis, call.params["squeeze_axis"])


@translates("_split_v2", "_npi_split")
def _split_v2(call: OnnxCall) -> list[str]:
    axis = call.axis(call.params["axis"])
    (size,) = call.static(call.shape[axis : axis + 1])
    sections, starts = call.params["sections"], call.params["indices"]
    sizes = [size // sections] * sections if sections else [b - a for a, b in pairwise([*starts, size])]
    return _parts(call, sizes, axis, call.params["squeeze_axis"])


@translates("tile")
def _tile(call: OnnxCall) -> str:
    reps = call.params["reps"]
    rank = max(call.rank, len(reps))
    data = call.data
    if rank > call.rank:
        data = call.emit("Unsqueeze", data, call.ints(*range(rank - call.rank)))
    return call.emit("Tile", data, call.ints(*(1,) * (rank - len(reps)), *reps))


@translates("repeat")
def _repeat(call: OnnxCall) -> str:
    """Along a new axis behind the one to be repeated, which then becomes one with it."""
    axis, repeats = call.params["axis"], call.params["repeats"]
    data = call.data if axis is not None else call.reshaped(call.data, (-1,))
    rank, place = (1, 0) if axis is None else (call.rank, call.axis(axis))
    wide = call.emit("Unsqueeze", data, call.ints(place + 1))
    times = [repeats if k == place + 1 else 1 for k in range(rank + 1)]
    return call.reshaped(call.emit("Tile", wide, call.ints(*times)), call.result_shape())


@translates("Pad", "_npi_pad")
def _pad(call: OnnxCall) -> str:
    width, mode = call.params["pad_width"], call.params["mode"]
    pairs = list(zip(width[::2], width[1::2], strict=True)) if isinstance(width[0], int) else list(width)
    if mode not in {"constant", "edge", "reflect"}:
        call.refuse(f"mode {mode!r} has no counterpart")
    widths = call.ints(*(before for before, _ in pairs), *(after for _, after in pairs))
    value = call.params["constant_value"]
    return call.emit("Pad", call.data, widths, call.array(value) if mode == "constant" else None, mode=mode)


@translates("broadcast_to", "broadcast_axis", "broadcast_like", "_npi_broadcast_to")
def _broadcast(call: OnnxCall) -> str:
    return call.emit("Expand", call.data, call.sizes(call.result_shape()))


@translates("shape_array")
def _shape_array(call: OnnxCall) -> str:
    return call.emit("Shape", call.data)


@translates("size_array")
def _size_array(call: OnnxCall) -> str:
    return call.reshaped(call.emit("Size", call.data), (1,))


def _filled(call: OnnxCall, value: float) -> str:
    return call.filled(value, call.result_shape(), call.dtype)


@translates("_zeros", "zeros_like", "_npi_zeros")
def _zeros(call: OnnxCall) -> str:
    return _filled(call, 0)


@translates("_ones", "ones_like", "_npi_ones")
def _ones(call: OnnxCall) -> str:
    return _filled(call, 1)


@translates("_full", "_npi_full")
def _full(call: OnnxCall) -> str:
    return _filled(call, call.params["value"])


@translates("_npi_full_like")
def _full_like(call: OnnxCall) -> str:
    return _filled(call, call.params["fill_value"])


def _even(start: float, step: float, count: int, repeat: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    numbers: np.ndarray[tuple[int], np.dtype[np.float64]] = np.arange(count, dtype="float64") * step + start
    return np.repeat(numbers, repeat)


@translates("_arange", "_npi_arange")
def _arange(call: OnnxCall) -> str:
    (count,) = call.static(call.result_shape())
    repeat = call.params.get("repeat", 1)
    start = 0.0 if call.params["stop"] is None else call.params["start"]
    step = call.params["step"]
    if call.dtype not in {"float32", "float64"}:
        start, step = int(start), int(step)
    return call.array(_even(start, step, -(-count // repeat), repeat)[:count])


@translates("_linspace", "_npi_linspace")
def _linspace(call: OnnxCall) -> str:
    ends, count = (call.params["start"], call.params["stop"]), call.params["num"]
    return call.array(np.linspace(*ends, count, endpoint=call.params["endpoint"]))


@translates("_eye")
def _eye(call: OnnxCall) -> str:
    return call.array(np.eye(call.params["N"], call.params["M"] or call.params["N"], call.params["k"]))


@translates("_contrib_arange_like")
def _arange_like(call: OnnxCall) -> str:
    shape: Shape = call.result_shape()
    start, step, repeat = (call.params[name] for name in ("start", "step", "repeat"))
    if all(isinstance(size, int) for size in shape):
        count = int(np.prod(call.static(shape)))
        return call.array(_even(start, step, -(-count // repeat), repeat)[:count].reshape(call.static(shape)))
    if repeat != 1 or len(shape) != 1:
        call.refuse("with a dynamic size it needs an axis, and repeat=1")
    size = call.emit("Squeeze", call.sizes(shape), call.ints(0))
    steps = call.cast(call.emit("Range", call.array(0, "int64"), size, call.array(1, "int64")), call.dtype, "int64")
    return call.emit("Add", call.emit("Mul", steps, call.array(step)), call.array(start))
