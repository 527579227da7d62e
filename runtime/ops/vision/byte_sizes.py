"""Images of bytes in other sizes, in whole numbers, which round as OpenCV does: 2048 is a weight of 1.

Measured on MXNet: linear interpolation to the byte, cubic except one byte of ten thousand.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hybridlint.runtime.ops.blocks import blocks, rows_at_once
from hybridlint.runtime.ops.vision.interpolation import Taps, sum_of_columns

_ONE = 2048
#: OpenCV's numbers of linear and of cubic interpolation.
LINEAR, CUBIC = 1, 2


def resized(xp: Any, data: Any, height: int, width: int, interp: int) -> Any:
    """Return images (..., height, width, channels) of bytes in another size, by linear or cubic interpolation."""
    if interp == CUBIC:
        return _cubic(xp, data, height, width)
    rows, columns = data.shape[-3:-1]
    if (rows, columns) == (2 * height, 2 * width):
        return _halved(xp, data.astype("uint16"))
    return _linear(xp, data, height, width)


def _halved(xp: Any, data: Any) -> Any:
    above = data[..., 0::2, 0::2, :] + data[..., 0::2, 1::2, :]
    below = data[..., 1::2, 0::2, :] + data[..., 1::2, 1::2, :]
    return ((above + below + 2) >> 2).astype("uint8")


def _places(xp: Any, size: int, target: int) -> tuple[Any, Any]:
    """Return the elements before the target's centres, and the distances behind them in single precision."""
    places = ((xp.arange(target) + 0.5) * (size / target) - 0.5).astype("float32")
    low = xp.floor(places)
    return low.astype("int64"), (places - low).astype("float32")


def _whole(xp: Any, weights: Any) -> Any:
    return xp.rint(weights * xp.float32(_ONE)).astype("int32")


def _linear(xp: Any, data: Any, height: int, width: int) -> Any:
    rows, columns = data.shape[-3:-1]
    left, share = _places(xp, columns, width)
    # Beyond the outer columns OpenCV takes these alone; of rows it weights the outer one twice.
    share = xp.where((left < 0) | (left >= columns - 1), xp.float32(0), share)
    left = xp.clip(left, 0, columns - 1)
    beside = xp.stack([left, xp.minimum(left + 1, columns - 1)], axis=1)
    top, share_below = _places(xp, rows, height)
    lines = xp.clip(xp.stack([top, top + 1], axis=1), 0, rows - 1)

    def across(read: Any) -> Any:
        return sum_of_columns(xp, read, (beside, _pair(xp, share)), data.shape[-1]) >> 4

    def down(upper: Any, lower: Any, weights: Any) -> Any:
        upper, lower = (xp.multiply(line, weights[:, tap, None], out=line) for tap, line in enumerate((upper, lower)))
        upper >>= 16
        lower >>= 16
        upper += lower
        upper += 2
        upper >>= 2
        return upper

    return _by_blocks(xp, data, (lines, _pair(xp, share_below)), width, across, down)


def _pair(xp: Any, share: Any) -> Any:
    """Return the weights of two elements of which the second one has this share."""
    return xp.stack([_whole(xp, 1 - share), _whole(xp, share)], axis=1)


def _by_blocks(
    xp: Any, data: Any, taps: Taps, width: int, across: Callable[[Any], Any], down: Callable[..., Any]
) -> Any:
    """Return bytes of which `across` makes the columns, and `down` the rows, from those at the places of the taps.

    Rows that no target reads are left out, and sums of rows are made of so many at once as stay near the processor.
    """
    places, weights = taps
    used, lines = xp.unique(places, return_inverse=True)
    lines = lines.reshape(places.shape)
    *batch, rows, columns, channels = data.shape
    made = across(xp.take(data.reshape(-1, rows, columns * channels), used, axis=1))
    result = xp.empty((len(made), len(places), width * channels), "uint8")
    most = rows_at_once(len(places), width * channels)
    room = xp.empty((places.shape[1], most, width * channels), made.dtype)
    for image, into in zip(made, result, strict=True):
        for part in blocks(len(places), most):
            taken = room[:, : len(into[part])]
            for tap, line in enumerate(taken):
                xp.take(image, lines[part, tap], axis=0, out=line, mode="clip")
            total = down(*taken, weights[part])
            into[part] = xp.clip(total, 0, 255, out=total)
    return result.reshape(*batch, len(places), width, channels)


def _cubic_taps(xp: Any, size: int, target: int) -> Taps:
    """Return four elements for each target element, with their weights."""
    low, share = _places(xp, size, target)
    a, rest = xp.float32(-0.75), 1 - share
    first = ((a * (share + 1) - 5 * a) * (share + 1) + 8 * a) * (share + 1) - 4 * a
    second = ((a + 2) * share - (a + 3)) * share * share + 1
    third = ((a + 2) * rest - (a + 3)) * rest * rest + 1
    weights = (first, second, third, 1 - first - second - third)
    places = xp.clip(low[:, None] + xp.arange(-1, 3), 0, size - 1)
    return places, xp.stack([_whole(xp, weight) for weight in weights], axis=1)


def _cubic(xp: Any, data: Any, height: int, width: int) -> Any:
    rows, columns = data.shape[-3:-1]
    beside = _cubic_taps(xp, columns, width)

    def down(*lines_and_weights: Any) -> Any:
        *lines, weights = lines_and_weights
        total, *others = (xp.multiply(line, weights[:, tap, None], out=line) for tap, line in enumerate(lines))
        for line in others:
            total += line
        total += 1 << 21
        total >>= 22
        return total

    # 32 bits hold 255 times the weights of both directions: absolute ones sum up to 1.375, those of one sign to 1.19.
    return _by_blocks(
        xp,
        data,
        _cubic_taps(xp, rows, height),
        width,
        lambda read: sum_of_columns(xp, read, beside, data.shape[-1]),
        down,
    )
