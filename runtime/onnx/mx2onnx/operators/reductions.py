"""Operators that reduce axes, and norms."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from hybridlint.runtime.facts.types import Axes
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates
from hybridlint.runtime.ops.arrays.broadcasting import reduced_axes


def _axes(call: OnnxCall, axis: Axes) -> tuple[int, ...]:
    return reduced_axes(() if axis is None else axis, bool(call.params.get("exclude", False)), call.rank)


def reduce_value(call: OnnxCall, kind: str, value: str, axes: Sequence[int]) -> str:
    """Return a value reduced over axes, each of which keeps size 1."""
    if kind == "ReduceSum":
        return call.emit(kind, value, call.ints(*axes), keepdims=1)
    return call.emit(kind, value, axes=list(axes), keepdims=1)


def finish_reduction(call: OnnxCall, value: str, axes: Sequence[int], output: int = 0) -> str:
    """Return a value without the axes that were reduced, unless they are kept."""
    shape = call.result_shape(output)
    if call.params.get("keepdims") or not axes:
        return value
    if len(shape) != call.rank - len(axes):
        return call.emit("Reshape", value, call.ints(1))
    return call.emit("Squeeze", value, call.ints(*axes))


def _reduction(*names: str, kind: str, wide: bool = False) -> None:
    """Register reductions that ONNX has too; those that are `wide` are computed in the dtype of the result."""

    def translate(call: OnnxCall) -> str:
        if call.params.get("initial") is not None:
            call.refuse("`initial` is not supported")
        axes = _axes(call, call.params["axis"])
        given = call.ins[0].dtype or "float32"
        data = call.cast(call.data, call.dtype, given) if wide else call.data
        return finish_reduction(call, reduce_value(call, kind, data, axes) if axes else data, axes)

    translates(*names)(translate)


_reduction("sum", "_np_sum", kind="ReduceSum", wide=True)
_reduction("prod", "_np_prod", kind="ReduceProd", wide=True)
_reduction("max", "_np_max", kind="ReduceMax")
_reduction("min", "_np_min", kind="ReduceMin")


@translates("mean", "_npi_mean")
def _mean(call: OnnxCall) -> str:
    axes = _axes(call, call.params["axis"])
    value, wide = call.floats()
    result = reduce_value(call, "ReduceMean", value, axes) if axes else value
    return finish_reduction(call, call.cast(result, call.dtype, wide), axes)


@translates("moments")
def _moments(call: OnnxCall) -> list[str]:
    axes = _axes(call, call.params["axes"])
    mean = reduce_value(call, "ReduceMean", call.data, axes)
    centered = call.emit("Sub", call.data, mean)
    variance = reduce_value(call, "ReduceMean", call.emit("Mul", centered, centered), axes)
    return [finish_reduction(call, mean, axes, 0), finish_reduction(call, variance, axes, 1)]


@translates("norm")
def _norm(call: OnnxCall) -> str:
    axes = _axes(call, call.params["axis"])
    data = call.cast(call.data, call.dtype, call.ins[0].dtype)
    kind = "ReduceL1" if call.params["ord"] == 1 else "ReduceL2"
    return finish_reduction(call, reduce_value(call, kind, data, axes), axes)


def _position(kind: str) -> Callable[[OnnxCall], str]:
    """Return a translation to `ArgMax` or `ArgMin`, whose result is int64."""

    def translate(call: OnnxCall) -> str:
        axis = call.params.get("axis", 1)
        data = call.reshaped(call.data, (-1,)) if axis is None else call.data
        place = 0 if axis is None else call.axis(axis)
        found = call.cast(call.emit(kind, data, axis=place, keepdims=1), call.dtype, "int64")
        return found if axis is not None and call.params.get("keepdims") else call.reshaped(found, call.result_shape())

    return translate


translates("argmax", "argmax_channel", "_npi_argmax")(_position("ArgMax"))
translates("argmin", "_npi_argmin")(_position("ArgMin"))


@translates("_np_cumsum")
def _cumsum(call: OnnxCall) -> str:
    axis = call.params["axis"]
    data = call.cast(call.data, call.dtype, call.ins[0].dtype)
    if axis is None:
        return call.emit("CumSum", call.reshaped(data, (-1,)), call.array(0, "int64"))
    return call.emit("CumSum", data, call.array(call.axis(axis), "int64"))


@translates("L2Normalization")
def _l2_normalization(call: OnnxCall) -> str:
    first = 2 if call.params["mode"] == "spatial" else 1
    axes = (1,) if call.params["mode"] == "channel" else tuple(range(first, call.rank))
    total = reduce_value(call, "ReduceSumSquare", call.data, axes)
    return call.emit("Div", call.data, call.emit("Sqrt", call.emit("Add", total, call.array(call.params["eps"]))))
