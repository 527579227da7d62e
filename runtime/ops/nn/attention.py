"""Attention operators on interleaved projections of shape (time, batch, heads * parts * size).

The parts are queries, keys and values, or keys and values.
"""

from __future__ import annotations

import math
from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import Shape, TensorType, unknown_shape
from hybridlint.runtime.ops.type_rules import exact_quotient, one_dtype, require_equal, require_rank


def _parts(xp: Any, data: Any, heads: int, count: int) -> list[Any]:
    """Split interleaved projections into `count` parts of shape (batch * heads, time, size)."""
    time, batch, width = data.shape
    split = data.reshape(time, batch, heads, count, width // heads // count)
    return [split[:, :, :, k].transpose(1, 2, 0, 3).reshape(batch * heads, time, -1) for k in range(count)]


def _interleaved(xp: Any, parts: list[Any], heads: int) -> Any:
    """Return the interleaved projections of parts of shape (batch * heads, time, size): the inverse of `_parts`."""
    rows, time, size = parts[0].shape
    stacked = xp.stack([p.reshape(rows // heads, heads, time, size) for p in parts], axis=3)
    return stacked.transpose(2, 0, 1, 3, 4).reshape(time, rows // heads, -1)


def _sizes(data: TensorType, heads: int, count: int, argument: str) -> Shape:
    """Return (time, batch, size of a head). Raises InferError if the last size is not divisible by heads * parts."""
    require_rank(data, [3], argument)
    time, batch, width = data.shape or unknown_shape(3)
    return time, batch, exact_quotient([width], [heads, count], argument)


def _infer_self_scores(queries_keys_values: TensorType, *, heads: int) -> TensorType:
    time, batch, _ = _sizes(queries_keys_values, heads, 3, "queries_keys_values")
    return queries_keys_values.with_shape((batch * heads, time, time))


@op(
    name="_contrib_interleaved_matmul_selfatt_qk",
    infer=_infer_self_scores,
    grad=lambda F, g, ins, outs, *, heads: (F._hl_selfatt_qk_grad(g, ins[0], heads=heads),),
    samples=[sample((2, 3, 12), heads=2)],
)
def selfatt_qk(xp: Any, queries_keys_values: Any, /, *, heads: int) -> Any:
    """Return the scaled products of queries and keys: (batch * heads, time, time)."""
    queries, keys, _ = _parts(xp, queries_keys_values, heads, 3)
    return xp.matmul(queries, keys.swapaxes(1, 2)) * (1 / math.sqrt(queries.shape[-1]))


@op(
    infer=lambda g, queries_keys_values, *, heads: queries_keys_values,
    samples=[sample((2, 2, 2), (2, 1, 12), heads=2)],
)
def _hl_selfatt_qk_grad(xp: Any, g: Any, queries_keys_values: Any, /, *, heads: int) -> Any:
    """Return the gradient with respect to the projections, given the gradient of the products of queries and keys."""
    queries, keys, values = _parts(xp, queries_keys_values, heads, 3)
    scaled = g * (1 / math.sqrt(queries.shape[-1]))
    into = [xp.matmul(scaled, keys), xp.matmul(scaled.swapaxes(1, 2), queries), xp.zeros_like(values)]
    return _interleaved(xp, into, heads)


def _check_attention(attention: TensorType, batch: DimLike, heads: int, time: DimLike) -> DimLike:
    """Return the number of queries. Raises InferError if the shapes of attention and values do not fit."""
    require_rank(attention, [3], "attention")
    if attention.shape is None:
        return Dim.fresh()
    require_equal(batch * heads, attention.shape[0], "attention", "batch times heads")
    require_equal(time, attention.shape[2], "attention", "time of the values")
    return attention.shape[1]


def _infer_self_values(queries_keys_values: TensorType, attention: TensorType, *, heads: int) -> TensorType:
    time, batch, size = _sizes(queries_keys_values, heads, 3, "queries_keys_values")
    rows = _check_attention(attention, batch, heads, time)
    dtype = one_dtype(queries_keys_values, attention, argument="attention")
    return TensorType((rows, batch, size * heads), dtype)


@op(
    name="_contrib_interleaved_matmul_selfatt_valatt",
    infer=_infer_self_values,
    grad=lambda F, g, ins, outs, *, heads: tuple(F._hl_valatt_grad(g, *ins, heads=heads, count=3)),
    samples=[sample((2, 1, 12), (2, 2, 2), heads=2)],
)
def selfatt_valatt(xp: Any, queries_keys_values: Any, attention: Any, /, *, heads: int) -> Any:
    """Return the values weighted by attention (batch * heads, time, time): (time, batch, heads * size)."""
    values = _parts(xp, queries_keys_values, heads, 3)[2]
    return _interleaved(xp, [xp.matmul(attention, values)], heads)


@op(
    infer=lambda g, projections, attention: (projections, attention),
    outputs=2,
    samples=[sample((2, 1, 4), (3, 1, 8), (2, 2, 3), heads=2, count=2)],
)
def _hl_valatt_grad(xp: Any, g: Any, projections: Any, attention: Any, /, *, heads: int, count: int) -> tuple[Any, Any]:
    """Return the gradients with respect to the projections, whose last part are the values, and the attention."""
    parts = _parts(xp, projections, heads, count)
    (head,) = _parts(xp, g, heads, 1)
    into = [*map(xp.zeros_like, parts[:-1]), xp.matmul(attention.swapaxes(1, 2), head)]
    return _interleaved(xp, into, heads), xp.matmul(head, parts[-1].swapaxes(1, 2))


def _infer_scores(queries: TensorType, keys_values: TensorType, *, heads: int) -> TensorType:
    time, batch, size = _sizes(queries, heads, 1, "queries")
    other, rows, key_size = _sizes(keys_values, heads, 2, "keys_values")
    require_equal(batch, rows, "keys_values", "batch size")
    require_equal(size, key_size, "keys_values", "size of a head")
    return TensorType((batch * heads, time, other), one_dtype(queries, keys_values, argument="keys_values"))


@op(
    name="_contrib_interleaved_matmul_encdec_qk",
    infer=_infer_scores,
    grad=lambda F, g, ins, outs, *, heads: tuple(F._hl_encdec_qk_grad(g, *ins, heads=heads)),
    samples=[sample((2, 2, 4), (3, 2, 8), heads=2)],
)
def encdec_qk(xp: Any, queries: Any, keys_values: Any, /, *, heads: int) -> Any:
    """Return the scaled products of queries and keys: (batch * heads, time of queries, time of keys)."""
    (rows,) = _parts(xp, queries, heads, 1)
    keys, _ = _parts(xp, keys_values, heads, 2)
    return xp.matmul(rows, keys.swapaxes(1, 2)) * (1 / math.sqrt(rows.shape[-1]))


@op(
    infer=lambda g, queries, keys_values: (queries, keys_values),
    outputs=2,
    samples=[sample((2, 2, 3), (2, 1, 4), (3, 1, 8), heads=2)],
)
def _hl_encdec_qk_grad(xp: Any, g: Any, queries: Any, keys_values: Any, /, *, heads: int) -> tuple[Any, Any]:
    """Return the gradients with respect to queries and to keys and values, given that of the products."""
    (rows,) = _parts(xp, queries, heads, 1)
    keys, values = _parts(xp, keys_values, heads, 2)
    scaled = g * (1 / math.sqrt(rows.shape[-1]))
    into_keys = xp.matmul(scaled.swapaxes(1, 2), rows)
    into_queries = _interleaved(xp, [xp.matmul(scaled, keys)], heads)
    return into_queries, _interleaved(xp, [into_keys, xp.zeros_like(values)], heads)


def _infer_values(keys_values: TensorType, attention: TensorType, *, heads: int) -> TensorType:
    time, batch, size = _sizes(keys_values, heads, 2, "keys_values")
    rows = _check_attention(attention, batch, heads, time)
    return TensorType((rows, batch, size * heads), one_dtype(keys_values, attention, argument="attention"))


@op(
    name="_contrib_interleaved_matmul_encdec_valatt",
    infer=_infer_values,
    grad=lambda F, g, ins, outs, *, heads: tuple(F._hl_valatt_grad(g, *ins, heads=heads, count=2)),
    samples=[sample((3, 1, 8), (2, 2, 3), heads=2)],
)
def encdec_valatt(xp: Any, keys_values: Any, attention: Any, /, *, heads: int) -> Any:
    """Return the values weighted by attention (batch * heads, time of queries, time of values)."""
    _, values = _parts(xp, keys_values, heads, 2)
    return _interleaved(xp, [xp.matmul(attention, values)], heads)
