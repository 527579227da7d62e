"""Operators of numpy mode that tell kinds of numbers apart, choose between numbers, or spread them."""

from __future__ import annotations

import math

from hybridlint.runtime.onnx.dtypes import is_float
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.operators.reductions import finish_reduction, reduce_value
from hybridlint.runtime.onnx.mx2onnx.translation import translates
from hybridlint.runtime.ops.arrays.broadcasting import reduced_axes


def _never(call: OnnxCall) -> str:
    return call.filled(False, call.result_shape(), "bool")


@translates("_npi_isnan")
def _isnan(call: OnnxCall) -> str:
    return call.emit("IsNaN", call.data) if is_float(call.ins[0].dtype) else _never(call)


@translates("_npi_isinf")
def _isinf(call: OnnxCall) -> str:
    return call.emit("IsInf", call.data) if is_float(call.ins[0].dtype) else _never(call)


@translates("_npi_isfinite")
def _isfinite(call: OnnxCall) -> str:
    if not is_float(call.ins[0].dtype):
        return call.emit("Not", _never(call))
    return call.emit("Not", call.emit("Or", call.emit("IsNaN", call.data), call.emit("IsInf", call.data)))


@translates("_npi_logical_not")
def _not(call: OnnxCall) -> str:
    return call.cast(call.emit("Not", call.truth(0)), call.dtype, "bool")


@translates("_npi_where_rscalar")
def _number_else(call: OnnxCall) -> str:
    return call.emit("Where", call.truth(0), call.input(1), call.array(call.params["scalar"]))


@translates("_npi_where_lscalar")
def _number_where(call: OnnxCall) -> str:
    return call.emit("Where", call.truth(0), call.array(call.params["scalar"]), call.input(1))


@translates("_npi_where_scalar2")
def _one_number_or_another(call: OnnxCall) -> str:
    return call.emit("Where", call.truth(0), call.array(call.params["x"]), call.array(call.params["y"]))


def _variance(call: OnnxCall) -> str:
    axes = reduced_axes(() if call.params["axis"] is None else call.params["axis"], False, call.rank)
    value, wide = call.floats()
    centered = call.emit("Sub", value, reduce_value(call, "ReduceMean", value, axes))
    squares = call.emit("Mul", centered, centered)
    if call.params["ddof"]:
        count = math.prod(call.static(tuple(call.shape[a] for a in axes)))
        factor = call.array(count / (count - call.params["ddof"]), wide)
        squares = call.emit("Mul", squares, factor)
    return finish_reduction(call, reduce_value(call, "ReduceMean", squares, axes), axes)


@translates("_npi_var")
def _var(call: OnnxCall) -> str:
    return call.cast(_variance(call), call.dtype, call.floats()[1])


@translates("_npi_std")
def _std(call: OnnxCall) -> str:
    return call.cast(call.emit("Sqrt", _variance(call)), call.dtype, call.floats()[1])


def _quantified(call: OnnxCall, kind: str) -> str:
    axes = reduced_axes(() if call.params["axis"] is None else call.params["axis"], False, call.rank)
    numbers = call.cast(call.truth(0), "float32", "bool")
    found = finish_reduction(call, reduce_value(call, kind, numbers, axes), axes) if axes else numbers
    return call.cast(found, "bool", "float32")


@translates("_np_any")
def _any(call: OnnxCall) -> str:
    return _quantified(call, "ReduceMax")


@translates("_np_all")
def _all(call: OnnxCall) -> str:
    return _quantified(call, "ReduceMin")
