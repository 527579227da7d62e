"""Operators on images with channels last, (height, width, C) or a batch of them: conversion, crops, sizes and flips."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.registry import Kernel, Refusal, op, sample
from hybridlint.runtime.facts.types import Floats, InferError, Ints, TensorType
from hybridlint.runtime.ops.type_rules import require_rank
from hybridlint.runtime.ops.vision import byte_sizes
from hybridlint.runtime.ops.vision.interpolation import METHODS, NEAREST, sum_of_columns, sum_of_rows, taps

BYTES = ("uint8",)


def saturated(xp: Any, values: Any, dtype: Any) -> Any:
    """Return values converted to a dtype; for integer dtypes they are clipped to its range."""
    kind = xp.dtype(dtype)
    if kind.kind not in "iu":
        return values.astype(kind, copy=False)
    limits = xp.iinfo(kind)
    return xp.clip(values, limits.min, limits.max).astype(kind)


def passed_on(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    """Gradient rule that returns the gradient of the output unchanged, as MXNet does for most operators on images."""
    return (g,)


def one_image(data: TensorType) -> TensorType:
    """Return the type of the data. Raises InferError unless it is one image of 1 or 3 channels."""
    require_rank(data, [3])
    _check_channels(data, -1)
    return data


def _check_channels(data: TensorType, axis: int) -> None:
    channels = None if data.shape is None else data.shape[axis]
    if isinstance(channels, int) and channels not in {1, 3}:
        raise InferError("data", f"expected 1 or 3 channels, got {data}")


def _refused(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
    return (Refusal("MXNet takes the gradient of the output for that of the input, whose shape is another"),)


def _infer_tensor(data: TensorType) -> TensorType:
    require_rank(data, [3, 4])
    if data.shape is None:
        return TensorType(None, "float32")
    *batch, height, width, channels = data.shape
    return TensorType((*batch, channels, height, width), "float32")


@op(
    name="_image_to_tensor",
    aliases=("_npx__image_to_tensor",),
    infer=_infer_tensor,
    grad=_refused,
    samples=[sample((2, 3, 3), low=0, high=255, dtypes=BYTES), sample((2, 2, 3, 1), low=0, high=255)],
)
def to_tensor(xp: Any, data: Any, /) -> Any:
    """Return uint8 images (..., height, width, C) as floats from 0 to 1, channels first: (..., C, height, width)."""
    return xp.ascontiguousarray(xp.moveaxis(data.astype("float32") / 255, -1, -3))


def _infer_normalize(data: TensorType, *, mean: Floats, std: Floats) -> TensorType:
    require_rank(data, [3, 4])
    _check_channels(data, -3)
    channels: DimLike = Dim.fresh() if data.shape is None else data.shape[-3]
    for name, values in (("mean", mean), ("std", std)):
        if isinstance(channels, int) and len(values) not in {1, channels}:
            raise InferError(name, f"expected 1 or {channels} numbers, got {values}")
    return data


def _by_channel(xp: Any, values: Floats, dtype: Any) -> Any:
    return xp.asarray(values, dtype).reshape(-1, 1, 1)


@op(
    name="_image_normalize",
    aliases=("_npx__image_normalize",),
    infer=_infer_normalize,
    grad=lambda F, g, ins, outs, *, std: (F._hl_image_scale(g, std=std),),
    samples=[
        sample((3, 2, 2), mean=(0.5, 1.0, 0.2), std=(0.5, 2.0, 3.0)),
        sample((2, 3, 2, 1), mean=(0.5,), std=(0.5,)),
        sample((3, 2, 2), low=0, high=255, mean=(4.5, 1.0, 0.2), std=(0.5, 2.0, 3.0), dtypes=BYTES),
    ],
)
def normalize(xp: Any, data: Any, /, *, mean: Floats = (0.0, 0.0, 0.0, 0.0), std: Floats = (1.0, 1.0, 1.0, 1.0)) -> Any:
    """Subtract the mean of each channel of (..., C, height, width) and divide by its standard deviation.

    Integers are computed as float32; results out of the dtype's range wrap around.
    """
    if data.dtype.kind == "f":
        return _standardized(xp, data, mean, std)
    return _standardized(xp, data.astype("float32"), mean, std).astype("int64").astype(data.dtype)


def _standardized(xp: Any, data: Any, mean: Floats, std: Floats) -> Any:
    return (data - _by_channel(xp, mean, data.dtype)) / _by_channel(xp, std, data.dtype)


@op(infer=lambda data: data, samples=[sample((3, 2, 2), std=(0.5, 2.0, 3.0))])
def _hl_image_scale(xp: Any, data: Any, /, *, std: Floats) -> Any:
    """Gradient of normalize."""
    return data / _by_channel(xp, std, data.dtype)


def _infer_crop(data: TensorType, *, x: int, y: int, width: int, height: int) -> TensorType:
    require_rank(data, [3, 4])
    _check_channels(data, -1)
    if data.shape is None:
        return data
    *batch, rows, columns, channels = data.shape
    for name, first, count, size in (("width", x, width, columns), ("height", y, height, rows)):
        if first < 0 or count < 1 or (isinstance(size, int) and first + count > size):
            raise InferError(name, f"{count} elements from {first} on are not inside of {size}")
    return data.with_shape((*batch, height, width, channels))


@op(
    name="_image_crop",
    aliases=("_npx__image_crop",),
    infer=_infer_crop,
    grad=lambda F, g, ins, outs, *, x, y: (F._hl_image_crop_grad(g, ins[0], x=x, y=y),),
    samples=[
        sample((3, 4, 3), x=1, y=0, width=3, height=2),
        sample((2, 3, 4, 1), x=0, y=1, width=2, height=2, low=0, high=255, dtypes=BYTES),
    ],
)
def crop(xp: Any, data: Any, /, *, x: int, y: int, width: int, height: int) -> Any:
    """Return the part of images that begins at column x and row y."""
    return data[..., y : y + height, x : x + width, :]


@op(infer=lambda g, data: data, samples=[sample((2, 2, 1), (3, 4, 1), x=1, y=0)])
def _hl_image_crop_grad(xp: Any, g: Any, data: Any, /, *, x: int, y: int) -> Any:
    """Gradient of crop."""
    into = xp.zeros_like(data)
    into[..., y : y + g.shape[-3], x : x + g.shape[-2], :] = g
    return into


def _scaled(size: int, long: DimLike, short: DimLike) -> DimLike:
    """Return the new length of the longer side if the shorter one becomes `size`."""
    return size * long // short if isinstance(long, int) and isinstance(short, int) else Dim.fresh()


def _targets(rows: DimLike, columns: DimLike, size: Ints, keep_ratio: bool) -> tuple[DimLike, DimLike]:
    """Return the new (height, width) of images of this size; see `resize`. Raises InferError for invalid sizes."""
    if len(size) not in {1, 2} or min(size) < 1:
        raise InferError("size", f"expected one or two sizes, got {size}")
    if len(size) == 2:
        return size[1], size[0]
    if not keep_ratio:
        return size[0], size[0]
    if not isinstance(rows, int) or not isinstance(columns, int):
        return Dim.fresh(), Dim.fresh()
    if rows > columns:
        return _scaled(size[0], rows, columns), size[0]
    return size[0], _scaled(size[0], columns, rows)


def _infer_resize(data: TensorType, *, size: Ints, keep_ratio: bool, interp: int) -> TensorType:
    require_rank(data, [3, 4])
    if interp not in METHODS:
        raise InferError("interp", f"{interp} is none of {', '.join(map(str, METHODS))}")
    if data.dtype not in {None, "uint8", "float32", "float64"}:
        raise InferError("data", f"images of {data.dtype} are not resized")
    if data.shape is None:
        _targets(Dim.fresh(), Dim.fresh(), size, keep_ratio)
        return data
    *batch, rows, columns, channels = data.shape
    return data.with_shape((*batch, *_targets(rows, columns, size, keep_ratio), channels))


@op(
    name="_image_resize",
    aliases=("_npx__image_resize",),
    infer=_infer_resize,
    grad=_refused,
    samples=[
        sample((4, 3, 2), size=(5, 2)),
        sample((2, 5, 3, 1), size=(4,), keep_ratio=True, interp=2),
        sample((5, 7, 1), size=(3, 2), interp=3),
        sample((5, 7, 1), size=(9, 8), interp=3),
        sample((5, 7, 1), size=(9, 3), interp=0),
        sample((5, 7, 1), size=(9, 3), interp=4),
        sample((3, 4, 3), size=(6,), interp=0, low=0, high=255, dtypes=BYTES),
    ],
)
def resize(xp: Any, data: Any, /, *, size: Ints = (), keep_ratio: bool = False, interp: int = 1) -> Any:
    """Return images resized to `size` (width, height), or one number for both; with `keep_ratio`, for the shorter side.

    `interp` is 0 for the nearest element, 1 for linear and 2 for cubic interpolation, 3 for averages of areas, 4 for
    Lanczos' method. Bytes are rounded to the nearest, from linear and cubic interpolation as OpenCV rounds.
    """
    height, width = data.shape[-3:-1]
    targets: tuple[Any, Any] = _targets(height, width, size, keep_ratio)
    if data.dtype == "uint8" and interp in {byte_sizes.LINEAR, byte_sizes.CUBIC}:
        return byte_sizes.resized(xp, data, *targets, interp)
    down, across = taps(xp, interp, (height, width), targets)
    channels = data.shape[-1]
    lines = sum_of_rows(xp, data.reshape(-1, height, width * channels), down)
    values = sum_of_columns(xp, lines, across, channels).reshape(*data.shape[:-3], *targets, channels)
    return (
        values
        if interp == NEAREST
        else saturated(xp, xp.floor(values + 0.5) if data.dtype == "uint8" else values, data.dtype)
    )


def _mirror(kernel: Kernel) -> Kernel:
    """Register an operator that flips images."""
    name = "_image_" + kernel.__name__
    samples = [sample((2, 4, 1)), sample((4, 2, 3), low=0, high=255, dtypes=BYTES)]
    aliases = ("_npx_" + name,)
    return op(name=name, aliases=aliases, infer=one_image, grad=passed_on, samples=samples, differentiable_twice=True)(
        kernel
    )


@_mirror
def flip_left_right(xp: Any, data: Any, /) -> Any:
    """Flip an image from left to right."""
    return xp.flip(data, 1)


@_mirror
def flip_top_bottom(xp: Any, data: Any, /) -> Any:
    """Flip an image from top to bottom."""
    return xp.flip(data, 0)


@_mirror
def random_flip_left_right(xp: Any, data: Any, /, *, rng: Any) -> Any:
    """Flip an image from left to right with probability 0.5."""
    return xp.flip(data, 1) if rng.random() < 0.5 else data.copy()


@_mirror
def random_flip_top_bottom(xp: Any, data: Any, /, *, rng: Any) -> Any:
    """Flip an image from top to bottom with probability 0.5."""
    return xp.flip(data, 0) if rng.random() < 0.5 else data.copy()
