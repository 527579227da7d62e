"""Products of matrices, dense layers and attention."""

from __future__ import annotations

import math

from hybridlint.runtime.facts.dims import product
from hybridlint.runtime.facts.types import Shape
from hybridlint.runtime.onnx.dtypes import is_float
from hybridlint.runtime.onnx.mx2onnx.call import OnnxCall
from hybridlint.runtime.onnx.mx2onnx.translation import translates


@translates("FullyConnected")
def _fully_connected(call: OnnxCall) -> str:
    """`Gemm` for flat data, which the data are made where they are not; `MatMul` where they keep their shape."""
    bias = None if call.params["no_bias"] else call.input(2)
    if call.params["flatten"] or call.rank == 2:
        flat = call.data if call.rank == 2 else call.reshaped(call.data, (call.shape[0], product(call.shape[1:])))
        return call.emit("Gemm", flat, call.input(1), bias, transB=1)
    total = call.emit("MatMul", call.data, call.emit("Transpose", call.input(1), perm=[1, 0]))
    return total if bias is None else call.emit("Add", total, bias)


def _swapped(call: OnnxCall, index: int, swap: bool) -> str:
    rank = len(call.shape_of(index))
    return call.transposed(call.input(index), [*range(rank - 2), rank - 1, rank - 2]) if swap else call.input(index)


@translates("batch_dot")
def _batch_dot(call: OnnxCall) -> str:
    left = _swapped(call, 0, call.params["transpose_a"])
    return call.emit("MatMul", left, _swapped(call, 1, call.params["transpose_b"]))


@translates("dot")
def _dot(call: OnnxCall) -> str:
    """As a product of two matrices, into which operands of another rank are reshaped."""
    left = _matrix(call, 0, transposed=call.params["transpose_a"], last=True)
    right = _matrix(call, 1, transposed=call.params["transpose_b"], last=False)
    result = call.emit("MatMul", left, right)
    flat = len(call.shape_of(0)) == len(call.shape_of(1)) == 2
    return result if flat else call.reshaped(result, call.result_shape())


def _matrix(call: OnnxCall, index: int, *, transposed: bool, last: bool) -> str:
    """Return an operand as a matrix whose last axis (or first) is summed over."""
    value, shape = call.input(index), call.shape_of(index)
    if len(shape) == 1:
        return call.reshaped(value, (1, shape[0]) if last else (shape[0], 1))
    # The axis that is summed over is the last of the left operand unless that is transposed, and the reverse.
    at_end = last != transposed
    if len(shape) > 2:
        rows: Shape = (product(shape[:-1]), shape[-1]) if at_end else (shape[0], product(shape[1:]))
        value = call.reshaped(value, rows)
    return call.emit("Transpose", value, perm=[1, 0]) if transposed else value


@translates("_npi_matmul")
def _matmul(call: OnnxCall) -> str:
    left, right = (call.cast(call.input(k), call.dtype, call.ins[k].dtype) for k in (0, 1))
    return call.emit("MatMul", left, right)


@translates("_npi_einsum")
def _einsum(call: OnnxCall) -> str:
    if not is_float(call.dtype):
        call.refuse("it needs a dtype with fractions")
    return call.emit("Einsum", *(call.input(k) for k in range(len(call.inputs))), equation=call.params["subscripts"])


@translates("_np_dot")
def _numpy_dot(call: OnnxCall) -> str:
    """Return the product over the last axis and the last but one, a matrix product for up to two axes."""
    left, right = (call.cast(call.input(k), call.dtype, call.ins[k].dtype) for k in (0, 1))
    ranks = (call.rank, len(call.shape_of(1)))
    if 0 in ranks:
        return call.emit("Mul", left, right)
    if ranks[1] > 2:
        return _contracted(call, [ranks[0] - 1], [ranks[1] - 2])
    return call.emit("MatMul", left, right)


def _contracted(call: OnnxCall, left: list[int], right: list[int]) -> str:
    """Return the product of two arrays, summed over pairs of axes, as a product of two matrices."""
    values = []
    for index, axes, last in ((0, left, True), (1, right, False)):
        shape = call.shape_of(index)
        kept = [a for a in range(len(shape)) if a not in axes]
        rows, columns = (product(tuple(shape[a] for a in part)) for part in (kept, axes))
        value = call.transposed(call.input(index), [*kept, *axes] if last else [*axes, *kept])
        values.append(call.reshaped(value, (rows, columns) if last else (columns, rows)))
    return call.reshaped(call.emit("MatMul", *values), call.result_shape())


@translates("_npi_tensordot")
def _tensordot(call: OnnxCall) -> str:
    left, right = call.params["a_axes_summed"], call.params["b_axes_summed"]
    rank = len(call.shape_of(1))
    return _contracted(call, [call.axis(a) for a in left], [a % rank for a in right])


@translates("_npi_tensordot_int_axes")
def _tensordot_of_last(call: OnnxCall) -> str:
    count = call.params["axes"]
    return _contracted(call, list(range(call.rank - count, call.rank)), list(range(count)))


@translates("_linalg_gemm2")
def _gemm2(call: OnnxCall) -> str:
    return _general_product(call)


@translates("_linalg_gemm")
def _gemm(call: OnnxCall) -> str:
    return call.emit("Add", _general_product(call), call.emit("Mul", call.input(2), call.array(call.params["beta"])))


def _general_product(call: OnnxCall) -> str:
    if call.axis(call.params["axis"]) != call.rank - 2:
        call.refuse("matrices whose rows are not along the last axis but one (axis) are not supported")
    left = _swapped(call, 0, call.params["transpose_a"])
    result = call.emit("MatMul", left, _swapped(call, 1, call.params["transpose_b"]))
    return result if call.params["alpha"] == 1 else call.emit("Mul", result, call.array(call.params["alpha"]))


@translates("khatri_rao")
def _khatri_rao(call: OnnxCall) -> str:
    result, rows = call.data, call.shape[0]
    for index in range(1, len(call.inputs)):
        right = call.emit("Unsqueeze", call.input(index), call.ints(0))
        rows = rows * call.shape_of(index)[0]
        whole = call.emit("Mul", call.emit("Unsqueeze", result, call.ints(1)), right)
        result = call.reshaped(whole, (rows, call.shape[1]))
    return result


def _part(call: OnnxCall, index: int, count: int, part: int) -> str:
    """Return one of the interleaved projections (time, batch, heads * count * size) as (batch * heads, time, size)."""
    time, batch, width = call.shape_of(index)
    heads = call.params["heads"]
    size = width // (heads * count)
    split = call.reshaped(call.input(index), (time, batch, heads, count, size))
    one = call.emit("Squeeze", call.sliced(split, 3, part, part + 1), call.ints(3))
    return call.reshaped(call.emit("Transpose", one, perm=[1, 2, 0, 3]), (batch * heads, time, size))


def _scores(call: OnnxCall, queries: str, keys: str, width: object) -> str:
    """Return the products of queries and keys, divided by the root of the size of a head."""
    if not isinstance(width, int):
        call.refuse("it needs a number of channels that is not dynamic")
    scale = call.array(1 / math.sqrt(width // call.params["heads"]))
    return call.emit("MatMul", call.emit("Mul", queries, scale), call.emit("Transpose", keys, perm=[0, 2, 1]))


@translates("_contrib_interleaved_matmul_selfatt_qk")
def _self_scores(call: OnnxCall) -> str:
    width = call.shape[2]
    third = width // 3 if isinstance(width, int) else width
    return _scores(call, _part(call, 0, 3, 0), _part(call, 0, 3, 1), third)


@translates("_contrib_interleaved_matmul_encdec_qk")
def _scores_of_two(call: OnnxCall) -> str:
    return _scores(call, _part(call, 0, 1, 0), _part(call, 1, 2, 0), call.shape[2])


def _weighted(call: OnnxCall, values: str) -> str:
    """Return values weighted by attention, with the heads side by side again."""
    time, batch, width = call.result_shape()
    heads = call.params["heads"]
    mixed = call.emit("MatMul", call.input(1), values)
    split = call.reshaped(mixed, (batch, heads, time, width // heads))
    return call.reshaped(call.emit("Transpose", split, perm=[2, 0, 1, 3]), (time, batch, width))


@translates("_contrib_interleaved_matmul_selfatt_valatt")
def _self_values(call: OnnxCall) -> str:
    return _weighted(call, _part(call, 0, 3, 2))


@translates("_contrib_interleaved_matmul_encdec_valatt")
def _values(call: OnnxCall) -> str:
    return _weighted(call, _part(call, 0, 2, 1))
