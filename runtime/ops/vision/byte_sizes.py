"""Images of bytes in other sizes, in whole numbers, which round as OpenCV does: 2048 is a weight of 1.

Measured on MXNet: linear interpolation to the byte, cubic but for one byte of ten thousand.
"""

from __future__ import annotations

from typing import Any

_ONE = 2048
#: OpenCV's numbers of linear and of cubic interpolation.
LINEAR, CUBIC = 1, 2


def resized(xp: Any, data: Any, height: int, width: int, interp: int) -> Any:
    """Return images (..., height, width, channels) of bytes in another size, by linear or cubic interpolation."""
    if interp == CUBIC:
        return _cubic(xp, data.astype("int64"), height, width)
    rows, columns = data.shape[-3:-1]
    if (rows, columns) == (2 * height, 2 * width):
        return _halved(xp, data.astype("int64"))
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
    return xp.rint(weights * xp.float32(_ONE)).astype("int64")


def _linear(xp: Any, data: Any, height: int, width: int) -> Any:
    rows, columns = data.shape[-3:-1]
    left, share = _places(xp, columns, width)
    # Beyond the outer columns OpenCV takes these alone; of rows it weights the outer one twice.
    share = xp.where((left < 0) | (left >= columns - 1), xp.float32(0), share)
    left = xp.clip(left, 0, columns - 1)
    near, far = (_whole(xp, part).astype("int32")[:, None] for part in (1 - share, share))
    beyond = xp.minimum(left + 1, columns - 1)
    top, share = _places(xp, rows, height)
    used, lines = xp.unique(xp.clip(xp.stack([top, top + 1]), 0, rows - 1), return_inverse=True)
    lines = lines.reshape(2, -1)
    # Only the rows that are read; 32 bits hold 255 times the weights of both directions, four bits less.
    read = xp.take(data, used, axis=-3)
    across = (xp.take(read, left, axis=-2) * near + xp.take(read, beyond, axis=-2) * far) >> 4
    near, far = (_whole(xp, part).astype("int32")[:, None, None] for part in (1 - share, share))
    upper, lower = (xp.take(across, line, axis=-3) for line in lines)
    return xp.clip((((near * upper) >> 16) + ((far * lower) >> 16) + 2) >> 2, 0, 255).astype("uint8")


def _cubic_weights(xp: Any, size: int, target: int) -> list[tuple[Any, Any]]:
    """Return four elements for each target element, with their weights."""
    low, share = _places(xp, size, target)
    a, rest = xp.float32(-0.75), 1 - share
    first = ((a * (share + 1) - 5 * a) * (share + 1) + 8 * a) * (share + 1) - 4 * a
    second = ((a + 2) * share - (a + 3)) * share * share + 1
    third = ((a + 2) * rest - (a + 3)) * rest * rest + 1
    weights = (first, second, third, 1 - first - second - third)
    return [(xp.clip(low + k - 1, 0, size - 1), _whole(xp, weight)) for k, weight in enumerate(weights)]


def _cubic(xp: Any, data: Any, height: int, width: int) -> Any:
    rows, columns = data.shape[-3:-1]
    across = sum(data[..., place, :] * weight[:, None] for place, weight in _cubic_weights(xp, columns, width))
    taps = _cubic_weights(xp, rows, height)
    total: Any = sum(across[..., place, :, :] * weight[:, None, None] for place, weight in taps)
    return xp.clip((total + (1 << 21)) >> 22, 0, 255).astype("uint8")
