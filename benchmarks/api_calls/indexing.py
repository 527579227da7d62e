"""Indexing, assignment and gathering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from api_calls.table import case, integers, normal, on

if TYPE_CHECKING:
    from api_calls.table import Call

on("index/integer", lambda nd, x: x[3], (64, 64))
on("index/slice", lambda nd, x: x[3:9], (64, 64))
on("index/columns", lambda nd, x: x[:, 3:9], (64, 64))
on("index/step", lambda nd, x: x[::2, ::2], (64, 64))
on("index/item", lambda nd, x: x[3, 4], (64, 64))
on("index/ellipsis", lambda nd, x: x[..., 0], (64, 64))
on("index/newaxis", lambda nd, x: x[:, None], (64, 64))
on("index/list", lambda nd, x: x[[1, 5, 7]], (64, 64))
on("index/set-number", lambda nd, x: x.__setitem__((slice(None), slice(3, 9)), 1), (64, 64))
on("index/set-all", lambda nd, x: x.__setitem__(slice(None), 1), (64, 64))
on("index/set-row", lambda nd, x, y: x.__setitem__(3, y), (64, 64), (64,))
on("index/set-item", lambda nd, x: x.__setitem__((3, 4), 1), (64, 64))
on("index/set-list", lambda nd, x, y: x.__setitem__([1, 5, 7], y), (64, 64), (3, 64))


@case("index/array")
def _index_array(mx: Any) -> Call:
    x, rows = normal(mx, 64, 64), integers(mx, 64, 10)
    return lambda: x[rows]


@case("index/boolean_mask")
def _boolean_mask(mx: Any) -> Call:
    x, mask = normal(mx, 1000, 64), integers(mx, 2, 1000)
    return lambda: mx.nd.contrib.boolean_mask(x, mask)


@case("index/take")
def _take(mx: Any) -> Call:
    x, rows = normal(mx, 10000, 64), integers(mx, 10000, 1000)
    return lambda: mx.nd.take(x, rows)


@case("index/gather_nd")
def _gather(mx: Any) -> Call:
    x, places = normal(mx, 100, 100, 16), integers(mx, 100, 2, 5000)
    return lambda: mx.nd.gather_nd(x, places)


@case("index/scatter_nd")
def _scatter(mx: Any) -> Call:
    x, places = normal(mx, 5000, 16), integers(mx, 100, 2, 5000)
    return lambda: mx.nd.scatter_nd(x, places, shape=(100, 100, 16))


@case("index/pick")
def _pick(mx: Any) -> Call:
    x, places = normal(mx, 1000, 100), integers(mx, 100, 1000)
    return lambda: mx.nd.pick(x, places)


@case("index/one_hot")
def _one_hot(mx: Any) -> Call:
    places = integers(mx, 1000, 256)
    return lambda: mx.nd.one_hot(places, 1000)


@case("index/embedding")
def _embedding(mx: Any) -> Call:
    x, rows = normal(mx, 10000, 128), integers(mx, 10000, 32, 35)
    return lambda: mx.nd.Embedding(rows, x, input_dim=10000, output_dim=128)


@case("index/sequence_mask")
def _sequence_mask(mx: Any) -> Call:
    x, lengths = normal(mx, 50, 32, 64), integers(mx, 50, 32)
    return lambda: mx.nd.SequenceMask(x, lengths, use_sequence_length=True)


@case("index/sequence_reverse")
def _sequence_reverse(mx: Any) -> Call:
    x, lengths = normal(mx, 50, 32, 64), integers(mx, 50, 32)
    return lambda: mx.nd.SequenceReverse(x, lengths + 1, use_sequence_length=True)
