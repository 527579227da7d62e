"""Winograd's algorithm for convolutions in native code: where it is worth it, and its sums around products."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from hybridlint.runtime.compiled.engines.jit.lanes import shortest_lanes
from hybridlint.runtime.compiled.engines.jit.target import TargetProcessor
from hybridlint.runtime.compiled.engines.jit.writer import WIDTH, IRWriter
from hybridlint.runtime.ops.windows.winograd import FORMS, Form, Matrix

__all__ = ["FORMS", "Form", "form_for", "rows_of_block", "transform_square"]

#: So many squares at least are computed at a time, for matrix products that are not too flat; and so many where these
#: are too many for the first cache, which holds so many bytes.
_LEAST_SQUARES, _FEW_SQUARES, _FIRST_CACHE = 7, 4, 1 << 15
#: Nanoseconds, roughly: for a product of vectors that is added to a sum, for each vector of a square that is
#: transformed, and for a byte of filters. An estimate has to be so much less than that of products as they are.
_PRODUCT, _TRANSFORM, _BYTE, _GAIN = 0.25, 1.1, 0.05, 0.8


def form_for(sizes: Sequence[int], filter: int, channels: int, target: TargetProcessor) -> Form | None:
    """Return the form that is worth it for results (samples, height, width, filters) and filters so wide.

    None represents products as they are.

    What speaks is an estimate that depends on the sizes and the kind of processor alone, so that the numbers do, too.
    """
    *places, filters = sizes
    fit = [form for form in FORMS if form.filter == filter and not any(size % form.size for size in places[-2:])]
    numbers = filter**2 * channels * filters
    direct = prod(places) * numbers / target.lanes * _PRODUCT + numbers * _BYTE
    costs = {form: _cost(form, sizes, channels, target) for form in fit}
    best = min(fit, key=lambda form: costs[form], default=None)
    return best if best is not None and costs[best] < _GAIN * direct else None


def _cost(form: Form, sizes: Sequence[int], channels: int, target: TargetProcessor) -> float:
    """Return about how many nanoseconds a convolution takes."""
    *places, filters = sizes
    squares, points = prod(places) / form.size**2, form.width**2
    vectors = _vectors(channels, target) + _vectors(filters, target)
    products = channels * -(-filters // target.lanes) * _PRODUCT
    return squares * points * (products + vectors * _TRANSFORM) + points * channels * filters * _BYTE


def _vectors(count: int, target: TargetProcessor) -> float:
    """Return how many vectors hold a given number of elements; one vector may be half as long."""
    shortest = shortest_lanes(count, target.lanes)
    return -(-count // shortest) * shortest / target.lanes


def rows_of_block(form: Form, sizes: Sequence[int], channels: int) -> int:
    """Return how many rows of squares are computed at a time: as few as have enough squares."""
    samples, height, width, filters = sizes
    rows, across = samples * height // form.size, width // form.size

    def fitting(squares: int) -> tuple[int, bool]:
        count = next(n for n in range(min(-(-squares // across), rows), rows + 1) if not rows % n)
        numbers = count * across * (channels + filters) + channels * filters
        return count, form.width**2 * numbers * WIDTH <= _FIRST_CACHE

    enough, fits = fitting(_LEAST_SQUARES)
    few, few_fit = fitting(_FEW_SQUARES)
    return few if few_fit and not fits else enough


def transform_square(writer: IRWriter, matrix: Matrix, square: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Return ``matrix square matrix.T`` for a square of vectors."""
    columns = [_times(writer, matrix, column) for column in zip(*square, strict=True)]
    return [_times(writer, matrix, row) for row in zip(*columns, strict=True)]


def _times(writer: IRWriter, matrix: Matrix, vectors: Sequence[Any]) -> list[Any]:
    """Return a matrix times a column of vectors. Neighbours that differ in signs alone share their sums."""
    matrix, vectors = _with_shared_columns(writer, matrix, vectors)
    found: list[Any] = []
    while len(found) < len(matrix):
        row, *following = matrix[len(found) : len(found) + 2]
        even = tuple(a if a == b else 0.0 for a, b in zip(row, *following, strict=True)) if following else ()
        odd = tuple(a - e for a, e in zip(row, even, strict=False))
        if any(even) and any(odd) and following == [tuple(e - o for e, o in zip(even, odd, strict=True))]:
            one, other = _sum(writer, even, vectors), _sum(writer, odd, vectors)
            found += [writer.b.fadd(one, other), writer.b.fsub(one, other)]
        else:
            found.append(_sum(writer, row, vectors))
    return found


def _with_shared_columns(writer: IRWriter, matrix: Matrix, vectors: Sequence[Any]) -> tuple[Matrix, Sequence[Any]]:
    """Return a matrix and vectors with the same product, where columns that differ in signs share sums of vectors."""
    columns, given = list(zip(*matrix, strict=True)), list(vectors)
    for k in range(len(columns) - 1):
        one, other = columns[k], columns[k + 1]
        even = tuple(a if a == b else 0.0 for a, b in zip(one, other, strict=True))
        odd = tuple(a - e for a, e in zip(one, even, strict=True))
        if any(even) and any(odd) and other == tuple(e - o for e, o in zip(even, odd, strict=True)):
            columns[k : k + 2] = even, odd
            a, b = given[k : k + 2]
            given[k : k + 2] = writer.b.fadd(a, b), writer.b.fsub(a, b)
    return tuple(zip(*columns, strict=True)), given


def _sum(writer: IRWriter, row: Sequence[float], vectors: Sequence[Any]) -> Any:
    """Return vectors times numbers, added up; those times one first."""
    (factor, total), *others = sorted(((a, v) for a, v in zip(row, vectors, strict=True) if a), key=_is_no_one)
    m = writer.lanes
    if factor != 1:
        total = writer.b.fmul(m.const(factor), total)
    for factor, vector in others:
        if abs(factor) == 1:
            total = writer.b.fadd(total, vector) if factor == 1 else writer.b.fsub(total, vector)
        else:
            total = m.fma(m.const(factor), vector, total)
    return total


def _is_no_one(term: tuple[float, Any]) -> bool:
    return term[0] != 1
