"""Convolution in planned memory, on data whose channels lie side by side: as products of windows, or in squares."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import Any

from hybridlint.runtime.facts.recipes import BufferRecipe
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.types import Ints, TensorType
from hybridlint.runtime.ops.panels import panels
from hybridlint.runtime.ops.windows.geometry import Geometry, gather, with_channels_last
from hybridlint.runtime.ops.windows.winograd import FORMS, Form

#: So many elements of windows, or of squares, are computed at once: they stay near the processor for the product.
_AT_ONCE = 1 << 18
#: Nanoseconds, roughly: for a product that is added to a sum, for an element of squares of data and of results that
#: are transformed, for an element of filters, and of large ones. An estimate has to be so much less than another.
_PRODUCT, _DATA, _RESULT, _FILTER, _LARGE_FILTER, _GAIN = 0.02, 0.8, 0.4, 0.04, 0.1, 0.8
_LARGE = 1 << 23
#: Fewer filters fill no vector of a processor.
_FEW_FILTERS = 12
#: So many elements that lie together are worth to be copied together.
_LEAST_TOGETHER = 16
#: A product with fewer rows takes no less time.
_LEAST_ROWS = 12


@record(frozen=True, slots=True)
class Convolution:
    """The sizes of a convolution: of the data without a frame, of the results, and the windows."""

    shape: Geometry
    batch: int
    channels: int
    filters: int
    sizes: Ints
    counts: Ints
    dtype: str | None

    @property
    def inner(self) -> int:
        """Number of products in a sum."""
        return prod(self.shape.kernel) * self.channels


def recipe(convolution: Convolution, *, biased: bool) -> BufferRecipe:
    """Return how to compute the convolution."""
    if convolution.filters < _FEW_FILTERS:
        return _as_pictures(convolution, biased)
    form = form_for(convolution)
    return _by_windows(convolution, biased) if form is None else _by_squares(convolution, form, biased)


def form_for(c: Convolution) -> Form | None:
    """Return the form of squares that is worth it; None for products of windows.

    What speaks is an estimate that depends on the sizes alone, so that the numbers do, too.
    """
    if any(n != 1 for n in (*c.shape.stride, *c.shape.dilate)):
        return None
    best, least = None, _estimate(c.batch * prod(c.counts), c.inner, c.filters)
    for form in (form for form in FORMS if (form.filter, form.filter) == c.shape.kernel):
        squares = c.batch * prod(-(-n // form.size) for n in c.counts)
        points = form.width**2
        cost = points * _estimate(squares, c.channels, c.filters, points)
        cost += points * squares * (c.channels * _DATA + c.filters * _RESULT)
        if cost < _GAIN * least:
            best, least = form, cost
    return best


def _estimate(rows: int, inner: int, columns: int, times: int = 1) -> float:
    weight = _LARGE_FILTER if inner * columns * times > _LARGE else _FILTER
    return inner * columns * (max(rows, _LEAST_ROWS) * _PRODUCT + weight)


def _parts(batch: int, lines: int, each: int) -> Iterator[tuple[slice, slice]]:
    """Yield slices of samples and of lines that together have a limited number of elements; a line has `each`."""
    most = max(_AT_ONCE // each, 1)
    if most >= lines:
        step = most // lines
        yield from ((slice(k, min(k + step, batch)), slice(0, lines)) for k in range(0, batch, step))
        return
    step = -(-lines // -(-lines // most))
    for k in range(batch):
        yield from ((slice(k, k + 1), slice(b, min(b + step, lines))) for b in range(0, lines, step))


def _largest(parts: Sequence[tuple[slice, slice]]) -> int:
    """Return the most lines that a part has."""
    return max(int(s.stop - s.start) * int(p.stop - p.start) for s, p in parts)


def _framed(xp: Any, data: Any, pad: Ints, frame: Any) -> Any:
    """Copy data (N, C, ...) into the middle of zeros (N, ..., C)."""
    frame.fill(0)
    inside = tuple(slice(p, p + n) for p, n in zip(pad, data.shape[2:], strict=True))
    xp.copyto(frame[(slice(None), *inside)], with_channels_last(data))
    return frame


def _windows(xp: Any, source: Any, shape: Geometry, counts: Ints) -> Any:
    """View data (N, ..., C) as windows (N, *counts, *kernel, C)."""
    first, *spatial, last = source.strides
    outer = [s * n for s, n in zip(spatial, shape.stride, strict=True)]
    inner = [s * n for s, n in zip(spatial, shape.dilate, strict=True)]
    sizes = (source.shape[0], *counts, *shape.kernel, source.shape[-1])
    return xp.lib.stride_tricks.as_strided(source, sizes, (first, *outer, *inner, last))


def _by_windows(c: Convolution, biased: bool) -> BufferRecipe:
    """Return a recipe that copies windows, some lines at a time, and multiplies them with the filters."""
    line, alone = prod(c.counts[1:]), c.inner == c.channels and not any(c.shape.pad)
    # Windows have a further element, 1, that is multiplied with the bias; data that are taken as they are have none.
    one = biased and not alone
    inner = c.inner + one
    parts = [*_parts(c.batch, c.counts[0], line * inner)]
    rows = _largest(parts) * line
    widest = panels(rows, inner, c.filters)
    cut = {count: panels(count, inner, c.filters, width=widest.width) for count in _counts(parts, line)}
    reach = tuple((n - 1) * s + e for n, s, e in zip(c.counts, c.shape.stride, c.shape.extent, strict=True))
    padded = tuple(max(n + 2 * p, r) for n, p, r in zip(c.sizes, c.shape.pad, reach, strict=True))
    frames = () if alone else (TensorType((c.batch, *padded, c.channels), c.dtype),)
    # Windows as rows where the elements that lie together are many, else as columns.
    copy = _as_rows if c.shape.kernel[-1] * c.channels >= _LEAST_TOGETHER else _as_columns

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        copied, *others = scratch
        frame, room = others[: len(frames)], others[len(frames) :]
        source, target = with_channels_last(ins[0]), with_channels_last(outs[0])
        if frame and (any(c.shape.pad) or source.strides[-1] != source.itemsize):
            source = _framed(xp, ins[0], c.shape.pad, frame[0])
        windows = _windows(xp, source, c.shape, c.counts)
        for samples, lines in parts:
            part, place = windows[samples, lines], target[samples, lines].reshape(-1, c.filters)
            if part.flags.c_contiguous and not one:
                left = part.reshape(len(place), inner)
            else:
                left = copy(xp, part, copied[: len(place) * inner], one)
            cut[len(place)].multiply(xp, left, kept, place, [sums[: len(place)] for sums in room])
            if biased and not one:
                xp.add(place, ins[2], out=place)

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        filters = with_channels_last(steady[0]).reshape(c.filters, c.inner)
        widest.fill(xp, xp.concatenate([filters, steady[1].reshape(-1, 1)], axis=1) if one else filters, kept)

    return BufferRecipe(
        run,
        scratch=(TensorType((rows * inner,), c.dtype), *frames, *widest.room(c.dtype)),
        kept=widest.types(c.dtype),
        steady=(1, 2) if one else (1,),
        prepare=prepare,
        channels_last=True,
    )


def _as_pictures(c: Convolution, biased: bool) -> BufferRecipe:
    """Return a recipe for few filters, which lie one after another: they are multiplied with windows as columns."""
    line, inner = prod(c.counts[1:]), c.inner + biased
    parts = [*_parts(c.batch, c.counts[0], line * inner)]
    padded = tuple(n + 2 * p for n, p in zip(c.sizes, c.shape.pad, strict=True))
    frames = (TensorType((c.batch, c.channels, *padded), c.dtype),) if any(c.shape.pad) else ()

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        copied, *frame = scratch
        source, target = ins[0], outs[0].reshape(c.batch, c.filters, c.counts[0], line)
        if frame:
            inside = tuple(slice(p, p + n) for p, n in zip(c.shape.pad, c.sizes, strict=True))
            source = frame[0]
            source.fill(0)
            xp.copyto(source[(..., *inside)], ins[0])
        windows = gather(xp, source, c.shape, c.counts)
        for samples, lines in parts:
            part = windows[(samples, ..., lines, *(slice(None),) * (c.shape.rank - 1))]
            places = prod(part.shape[-c.shape.rank :])
            columns = copied[: len(part) * inner * places].reshape(len(part), inner, places)
            xp.copyto(columns[:, : c.inner].reshape(part.shape), part)
            columns[:, c.inner :] = 1
            xp.matmul(kept[0], columns, out=target[samples, :, lines].reshape(len(part), c.filters, places))

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        xp.copyto(kept[0][:, : c.inner], steady[0].reshape(c.filters, c.inner))
        if biased:
            xp.copyto(kept[0][:, c.inner], steady[1])

    return BufferRecipe(
        run,
        scratch=(TensorType((max(_counts(parts, line)) * inner,), c.dtype), *frames),
        kept=(TensorType((c.filters, inner), c.dtype),),
        steady=(1, 2) if biased else (1,),
        prepare=prepare,
    )


def _counts(parts: Sequence[tuple[slice, slice]], each: int) -> set[int]:
    """Return how many places the parts have, where a line has `each`."""
    return {(s.stop - s.start) * (p.stop - p.start) * each for s, p in parts}


def _as_rows(xp: Any, windows: Any, room: Any, one: bool) -> Any:
    """Copy windows (N, *counts, *kernel, C) as the rows of a matrix; if `one`, add a column of ones."""
    rank = (windows.ndim - 2) // 2
    places = windows.shape[: rank + 1]
    rows = room.reshape(prod(places), -1)
    # A row without its last element is no view in the shape of windows: strides are.
    size = room.itemsize
    inner = [prod(windows.shape[k + 1 :]) * size for k in range(rank + 1, windows.ndim)]
    outer = [prod(places[k + 1 :]) * rows.strides[0] for k in range(rank + 1)]
    xp.copyto(xp.lib.stride_tricks.as_strided(rows, windows.shape, (*outer, *inner)), windows)
    if one:
        rows[:, -1] = 1
    return rows


def _as_columns(xp: Any, windows: Any, room: Any, one: bool) -> Any:
    """Copy windows (N, *counts, *kernel, C) as the columns of a matrix, and return that matrix turned."""
    rank = (windows.ndim - 2) // 2
    turned = windows.transpose(*range(rank + 1, windows.ndim), *range(rank + 1))
    columns = room.reshape(-1, prod(windows.shape[: rank + 1]))
    xp.copyto((columns[:-1] if one else columns).reshape(turned.shape), turned)
    if one:
        columns[-1] = 1
    return columns.T


def _by_squares(c: Convolution, form: Form, biased: bool) -> BufferRecipe:
    """Return a recipe for Winograd's algorithm, some lines of squares at a time."""
    size, width, beyond = form.size, form.width, form.filter - 1
    points, results = width**2, size**2
    high, wide = (-(-n // size) for n in c.counts)
    parts = [*_parts(c.batch, high, wide * points * max(c.channels, c.filters))]
    most = _largest(parts) * wide
    widest = panels(most, c.channels, c.filters)
    cut = {count: panels(count, c.channels, c.filters, width=widest.width) for count in _counts(parts, wide)}
    frame = TensorType((c.batch, high * size + beyond, wide * size + beyond, c.channels), c.dtype)
    exact = (high * size, wide * size) == c.counts
    room = tuple(
        TensorType(shape, c.dtype)
        for shape in (
            (points * most * c.channels,),
            (points * most * c.channels,),
            (results * most * c.filters,),
        )
    )
    all_sums = TensorType((points * most * c.filters,), c.dtype)
    more = () if c.filters <= c.channels else (all_sums,)
    spare = (all_sums,) if widest.room(c.dtype) else ()
    whole = () if exact else (TensorType((_largest(parts) * size * wide * size * c.filters,), c.dtype),)

    def run(xp: Any, ins: Sequence[Any], outs: Sequence[Any], kept: Sequence[Any], scratch: Sequence[Any]) -> None:
        target = with_channels_last(outs[0])
        turn, show, *filters = kept
        source = _framed(xp, ins[0], c.shape.pad, scratch[0])
        first, down, right, step = source.strides
        strides = (down, right, first, down * size, right * size, step)
        for samples, lines in parts:
            count, begin, end = samples.stop - samples.start, lines.start, lines.stop
            squares = count * (end - begin) * wide
            seen = xp.lib.stride_tricks.as_strided(
                source[samples, begin * size :], (width, width, count, end - begin, wide, c.channels), strides
            )
            data = scratch[1][: points * squares * c.channels]
            xp.copyto(data.reshape(seen.shape), seen)
            turned = scratch[2][: points * squares * c.channels].reshape(points, -1)
            xp.matmul(turn, data.reshape(points, -1), out=turned)
            # What the data were transformed from is no longer needed: sums lie there where these are not larger.
            sums = scratch[1 if c.filters <= c.channels else 4][: points * squares * c.filters]
            sums = sums.reshape(points, squares, c.filters)
            parts_of_sums = [one[: sums.size].reshape(sums.shape) for one in scratch[4 + len(more) :][: len(spare)]]
            cut[squares].multiply(xp, turned.reshape(points, squares, c.channels), filters, sums, parts_of_sums)
            shown = scratch[3][: results * squares * c.filters].reshape(results, -1)
            xp.matmul(show, sums.reshape(points, -1), out=shown)
            if biased:
                xp.add(shown.reshape(-1, c.filters), ins[2], out=shown.reshape(-1, c.filters))
            shown = shown.reshape(size, size, count, end - begin, wide, c.filters)
            _put_together(xp, shown, target[samples, begin * size : end * size], None if exact else scratch[-1])

    def prepare(xp: Any, steady: Sequence[Any], kept: Sequence[Any]) -> None:
        turn, show, *filters = kept
        xp.copyto(turn, _both_ways(xp, form.turn))
        xp.copyto(show, _both_ways(xp, form.show))
        folded = xp.matmul(
            _both_ways(xp, form.fold).astype(c.dtype),
            steady[0].reshape(-1, form.filter**2).T,
        )
        widest.fill(xp, folded.reshape(points, c.filters, c.channels), filters)

    matrices = (TensorType((points, points), c.dtype), TensorType((results, points), c.dtype))
    batched = widest.types(c.dtype, points)
    return BufferRecipe(
        run,
        scratch=(frame, *room, *more, *spare, *whole),
        kept=(*matrices, *batched),
        steady=(1,),
        prepare=prepare,
        channels_last=True,
    )


def _put_together(xp: Any, squares: Any, place: Any, room: Any) -> None:
    """Copy squares (size, size, N, high, wide, F) to where they belong in `place` (N, height, width, F).

    Where squares stand out of it, `room` is for all of them.
    """
    size, _, count, high, wide, filters = squares.shape
    view = squares.transpose(2, 3, 0, 4, 1, 5)
    if room is None:
        xp.copyto(place.reshape(view.shape), view)
        return
    whole = room[: view.size].reshape(count, high * size, wide * size, filters)
    xp.copyto(whole.reshape(view.shape), view)
    xp.copyto(place, whole[:, : place.shape[1], : place.shape[2]])


def _both_ways(xp: Any, matrix: Sequence[Sequence[float]]) -> Any:
    """Return the matrix that transforms a square's elements, in their order, down and across."""
    array = xp.array(matrix)
    return xp.kron(array, array)
