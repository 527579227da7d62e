"""Native code of functions of rectangles of results, which are still in registers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hybridlint.runtime.compiled.engines.jit.elementwise import evaluate_value
from hybridlint.runtime.compiled.engines.jit.kernels import Pooled
from hybridlint.runtime.compiled.engines.jit.lanes import shortest_lanes
from hybridlint.runtime.compiled.engines.jit.llvm import ir
from hybridlint.runtime.compiled.engines.jit.writer import IRWriter
from hybridlint.runtime.compiled.lowering.values import Sizes


def combine_results(writer: IRWriter, pooled: Pooled | None, results: Mapping[Sizes, Any]) -> Any:
    """Return the pooled result of a rectangle's results, or the only result without a pool."""
    if pooled is None:
        (result,) = results.values()
        return result
    return evaluate_value(writer, pooled.root, {value: results[place] for value, place in pooled.parts.items()})


def every_second(writer: IRWriter, vectors: Sequence[Any], first: int, count: int) -> Any:
    """Return every second number of one or two vectors, `count` in all, as a vector of sufficient length."""
    lanes = writer.lanes.count
    row = [_widened(writer, vector, lanes) for vector in vectors]
    length = shortest_lanes(count, lanes)
    order = [min(2 * lane + first, len(row) * lanes - 1) for lane in range(length)]
    return writer.b.shuffle_vector(row[0], row[-1], _indices(writer, order))


def store_by_turns(writer: IRWriter, vectors: Sequence[Any], address: Any, count: int) -> None:
    """Write the first `count` numbers of vectors interleaved: the first of each, then the second of each."""
    lanes = writer.lanes.count
    row = [_widened(writer, vector, lanes) for vector in vectors]
    total = count * len(row)
    for begin in range(0, total, lanes):
        places = [divmod(min(begin + lane, total - 1), len(row)) for lane in range(lanes)]
        found = row[0]
        for k, vector in enumerate(row):
            order = [lanes + at if which == k else lane for lane, (at, which) in enumerate(places)]
            found = writer.b.shuffle_vector(found, vector, _indices(writer, order))
        writer.store(found, writer.moved(address, begin), 1, min(lanes, total - begin))


def _widened(writer: IRWriter, vector: Any, lanes: int) -> Any:
    """Return a vector extended to `lanes` lanes; the new lanes repeat the last one."""
    count = vector.type.count
    if count == lanes:
        return vector
    return writer.b.shuffle_vector(vector, vector, _indices(writer, [min(k, count - 1) for k in range(lanes)]))


def _indices(writer: IRWriter, order: Sequence[int]) -> Any:
    return ir().Constant(ir().VectorType(writer.lanes.whole, len(order)), list(order))
