"""Resizing of the spatial axes of (N, C, H, W) by interpolation or averages.

It is a product with one matrix for each axis; averages of windows that are all of one size are computed as such.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.type_rules import require_rank


def _corners(xp: Any, size: int, target: int) -> Any:
    """Return the matrix (target, size) that interpolates so that the first and last elements are kept."""
    step = (size - 1) / (target - 1) if target > 1 else 0.0
    return _between(xp, xp.arange(target) * step, size)


def _centers(xp: Any, size: int, target: int) -> Any:
    """Return the matrix (target, size) that interpolates between the centres of elements."""
    return _between(xp, xp.maximum((xp.arange(target) + 0.5) * (size / target) - 0.5, 0), size)


def _between(xp: Any, places: Any, size: int) -> Any:
    """Return the matrix (target, size) that interpolates linearly at fractional positions (target,)."""
    low = xp.minimum(xp.floor(places), size - 1)
    columns, share = xp.arange(size)[None, :], (places - low)[:, None]
    high = xp.minimum(low + 1, size - 1)[:, None]
    return (columns == low[:, None]) * (1 - share) + (columns == high) * share


def _average(xp: Any, size: int, target: int) -> Any:
    """Return the matrix (target, size) that averages adaptive windows, which may overlap and differ in size by one."""
    places, columns = xp.arange(target)[:, None], xp.arange(size)[None, :]
    first, last = places * size // target, -(-(places + 1) * size // target)
    return ((columns >= first) & (columns < last)) / (last - first)


_METHODS: dict[str, Callable[[Any, int, int], Any]] = {
    "corners": _corners,
    "centers": _centers,
    "average": _average,
}


def _matrices(xp: Any, method: str, sizes: Ints, targets: Ints, dtype: Any) -> tuple[Any, Any]:
    build = _METHODS[method]
    rows, columns = (build(xp, n, t).astype(dtype) for n, t in zip(sizes, targets, strict=True))
    return rows, columns


def _equal_windows(method: str, sizes: Ints, targets: Ints) -> Ints | None:
    """Return the height and width of windows whose averages are asked for, if all are of one size and apart."""
    if method != "average" or any(not t or n % t for n, t in zip(sizes, targets, strict=True)):
        return None
    return tuple(n // t for n, t in zip(sizes, targets, strict=True))


def _resample(xp: Any, data: Any, targets: Ints, method: str) -> Any:
    windows = _equal_windows(method, data.shape[2:], targets)
    if windows is not None:
        (high, wide), (down, across) = windows, targets
        if (down, across) == (1, 1):
            return data.mean((2, 3), keepdims=True)
        return data.reshape(*data.shape[:2], down, high, across, wide).mean((3, 5))
    rows, columns = _matrices(xp, method, data.shape[2:], targets, data.dtype)
    return xp.matmul(rows, xp.matmul(data, columns.T))


@op(
    infer=lambda g, data, *, method: data,
    grad=lambda F, gg, ins, outs, *, method: (F._hl_resample(gg, ins[0], method=method), None),
    samples=[
        *(sample((1, 2, 3, 2), (1, 2, 2, 5), method=name) for name in _METHODS),
        sample((1, 2, 4, 6), (1, 2, 2, 3), method="average"),
    ],
)
def _hl_resample_grad(xp: Any, g: Any, data: Any, /, *, method: str) -> Any:
    """Return the gradient with respect to resized data, given the gradient of the result."""
    windows = _equal_windows(method, data.shape[2:], g.shape[2:])
    if windows is not None:
        high, wide = windows
        return xp.repeat(xp.repeat(g / (high * wide), high, axis=2), wide, axis=3)
    rows, columns = _matrices(xp, method, data.shape[2:], g.shape[2:], data.dtype)
    return xp.matmul(rows.T, xp.matmul(g, columns))


@op(
    infer=lambda data, like, *, method: data.with_shape(like.shape),
    grad=lambda F, g, ins, outs, *, method: (F._hl_resample_grad(g, ins[0], method=method), None),
    samples=[
        *(sample((1, 2, 2, 5), (1, 2, 3, 2), method=name) for name in _METHODS),
        sample((1, 2, 4, 6), (1, 2, 2, 3), method="average"),
    ],
)
def _hl_resample(xp: Any, data: Any, like: Any, /, *, method: str) -> Any:
    """Resize data to the height and width of another tensor."""
    return _resample(xp, data, like.shape[2:], method)


def _odd(size: DimLike, scale: float | None) -> DimLike:
    """Return (size - 1) * scale + 1, a scaled size that keeps odd sizes odd for whole scales."""
    if not isinstance(size, int):
        return Dim.fresh()
    return int(size * (scale or 1)) if size % 2 == 0 else int((size - 1) * (scale or 1)) + 1


def _shifted(parity: int, step: int) -> Callable[[DimLike, float | None], DimLike]:
    """Return a function that adds `step` to sizes of this parity (0: even, 1: odd) and keeps the others."""

    def target(size: DimLike, scale: float | None) -> DimLike:
        if not isinstance(size, int):
            return Dim.fresh()
        return size + step if size % 2 == parity else size

    return target


_MODES: dict[str, Callable[[DimLike, float | None], DimLike]] = {
    "odd_scale": _odd,
    "to_even_down": _shifted(1, -1),
    "to_even_up": _shifted(1, 1),
    "to_odd_down": _shifted(0, -1),
    "to_odd_up": _shifted(0, 1),
}


def _scaled(size: DimLike, scale: float) -> DimLike:
    if isinstance(size, int):
        return int(size * scale)
    return size * int(scale) if scale == int(scale) else Dim.fresh()


def _targets(
    sizes: tuple[DimLike, ...], fixed: Ints, scales: tuple[float | None, float | None], mode: str
) -> tuple[DimLike, ...]:
    """Return the new (height, width), unless they come from a second tensor: given, scaled, or by `mode`."""
    if mode != "size":
        return tuple(_MODES[mode](n, s) for n, s in zip(sizes, scales, strict=True))
    rows = zip(sizes, fixed, scales, strict=True)
    return tuple(f if s is None else _scaled(n, s) for n, f, s in rows)


def _infer_bilinear(
    data: TensorType,
    *like: TensorType,
    height: int,
    width: int,
    scale_height: float | None,
    scale_width: float | None,
    mode: str,
) -> TensorType:
    if mode not in {*_MODES, "size", "like"}:
        raise InferError("mode", f"expected one of size, like, {', '.join(_MODES)}, got {mode!r}")
    require_rank(data, [4])
    batch, channels, *sizes = data.shape or tuple(Dim.fresh() for _ in range(4))
    if mode == "like":
        other = like[0].shape if like else None
        targets = (Dim.fresh(), Dim.fresh()) if other is None else other[2:]
    else:
        targets = _targets(tuple(sizes), (height, width), (scale_height, scale_width), mode)
    if any(isinstance(t, int) and t < 1 for t in targets):
        raise InferError("height", f"expected sizes of at least 1, got {targets}")
    return data.with_shape((batch, channels, *targets))


def _method(align_corners: bool) -> str:
    return "corners" if align_corners else "centers"


@op(
    name="_contrib_BilinearResize2D",
    infer=_infer_bilinear,
    grad=lambda F, g, ins, outs, *, align_corners: (
        F._hl_resample_grad(g, ins[0], method=_method(align_corners)),
        *(None for _ in ins[1:]),
    ),
    active_inputs=lambda *, mode: ("data", "like") if mode == "like" else ("data",),
    samples=[
        sample((1, 2, 2, 3), height=3, width=5),
        sample((1, 2, 5, 4), height=2, width=7, align_corners=False),
        sample((1, 2, 2, 3), scale_height=2.0, scale_width=1.5),
        sample((1, 2, 2, 3), (1, 1, 4, 4), mode="like"),
        sample((1, 1, 3, 4), scale_height=2.0, scale_width=0.5, mode="odd_scale"),
        sample((1, 1, 3, 4), mode="to_odd_up"),
    ],
)
def bilinear_resize(
    xp: Any,
    data: Any,
    like: Any = None,
    /,
    *,
    height: int = 1,
    width: int = 1,
    scale_height: float | None = None,
    scale_width: float | None = None,
    mode: Literal["like", "odd_scale", "size", "to_even_down", "to_even_up", "to_odd_down", "to_odd_up"] = "size",
    align_corners: bool = True,
) -> Any:
    """Interpolate (N, C, H, W) to another height and width.

    These are `height` and `width`, or scaled sizes, or made even or odd according to `mode`, or those of a second
    tensor (mode "like").
    """
    if mode == "like":
        return _resample(xp, data, like.shape[2:], _method(align_corners))
    targets = _targets(data.shape[2:], (height, width), (scale_height, scale_width), mode)
    return _resample(xp, data, tuple(t for t in targets if isinstance(t, int)), _method(align_corners))


def _pair(output_size: Ints) -> Ints:
    return (1, 1) if not output_size else output_size * 2 if len(output_size) == 1 else output_size


def _infer_average(data: TensorType, *, output_size: Ints) -> TensorType:
    require_rank(data, [4])
    if len(output_size) > 2:
        raise InferError("output_size", f"expected at most 2 numbers, got {output_size}")
    lead = (Dim.fresh(), Dim.fresh()) if data.shape is None else data.shape[:2]
    return data.with_shape((*lead, *_pair(output_size)))


@op(
    name="_contrib_AdaptiveAvgPooling2D",
    infer=_infer_average,
    grad=lambda F, g, ins, outs: (F._hl_resample_grad(g, ins[0], method="average"),),
    samples=[sample((1, 2, 5, 4)), sample((1, 2, 5, 7), output_size=(3, 2)), sample((1, 1, 4, 4), output_size=(2,))],
)
def adaptive_average_pooling(xp: Any, data: Any, /, *, output_size: Ints = ()) -> Any:
    """Average (N, C, H, W) over windows that divide height and width into `output_size` parts."""
    return _resample(xp, data, _pair(output_size), "average")
