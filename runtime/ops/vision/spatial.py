"""Sampling of images at the positions of a grid, and grids made from affine maps or from flows."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.dims import Dim, differ
from hybridlint.runtime.facts.registry import op, sample
from hybridlint.runtime.facts.types import InferError, Ints, TensorType
from hybridlint.runtime.ops.type_rules import one_dtype, refined, require_equal, require_rank
from hybridlint.runtime.ops.vision.bilinear import corners, pull, read

_AFFINE: dict[str, Any] = {"transform_type": "affine", "target_shape": (3, 4)}


def _check_transform(transform_type: str, allowed: tuple[str, ...]) -> None:
    if transform_type not in allowed:
        raise InferError("transform_type", f"expected {' or '.join(map(repr, allowed))}, got {transform_type!r}")


def _check_target(target_shape: Ints) -> None:
    if len(target_shape) != 2 or min(target_shape) < 1:
        raise InferError("target_shape", f"expected height and width, got {target_shape}")


def _affine_maps(maps: TensorType, argument: str) -> TensorType:
    require_rank(maps, [2], argument)
    return refined(maps, (Dim.fresh() if maps.shape is None else maps.shape[0], 6), None, argument)


def _infer_grid(data: TensorType, *, transform_type: str, target_shape: Ints) -> tuple[TensorType, TensorType]:
    _check_transform(transform_type, ("affine", "warp"))
    if transform_type == "warp":
        require_rank(data, [4])
        if data.shape is not None and differ(data.shape[1], 2):
            raise InferError("data", f"expected 2 channels, got {data}")
        if data.shape is None:
            return data, data
        known = data.with_shape((data.shape[0], 2, *data.shape[2:]))
        return known, known.with_shape((2, *data.shape[2:]))
    _check_target(target_shape)
    maps = _affine_maps(data, "data")
    assert maps.shape is not None
    return maps.with_shape((maps.shape[0], 2, *target_shape)), maps.with_shape((3, target_shape[0] * target_shape[1]))


def _steps(xp: Any, size: int, dtype: Any) -> Any:
    """Return `size` evenly spaced coordinates from -1 to 1; nan for a size of 1."""
    return (xp.arange(size) / xp.asarray((size - 1) / 2) - 1).astype(dtype)


def _homogeneous(xp: Any, sizes: Ints, dtype: Any) -> Any:
    """Return the homogeneous coordinates (x, y, 1) of all positions of an image: (3, positions)."""
    y, x = _steps(xp, sizes[0], dtype)[:, None], _steps(xp, sizes[1], dtype)[None, :]
    return xp.stack([row.reshape(-1) for row in xp.broadcast_arrays(x, y, xp.ones((), dtype))])


def _halves(xp: Any, sizes: Ints, dtype: Any) -> Any:
    """Return half of (width - 1, height - 1), which converts coordinates to elements, in the shape (2, 1, 1)."""
    return ((xp.asarray(sizes[::-1]) - 1) / 2).astype(dtype).reshape(2, 1, 1)


@op(
    name="GridGenerator",
    infer=_infer_grid,
    outputs=2,
    visible=1,
    grad=lambda F, g, ins, outs, *, transform_type: (F._hl_grid_grad(g, ins[0], transform_type=transform_type),),
    samples=[sample((2, 6), **_AFFINE), sample((2, 2, 3, 4), transform_type="warp")],
)
def grid_generator(
    xp: Any, data: Any, /, *, transform_type: Literal["affine", "warp"], target_shape: Ints = (0, 0)
) -> tuple[Any, Any]:
    """Return a grid of sampling positions (x, y) from -1 to 1: (N, 2, height, width).

    With "affine", data (N, 6) are affine maps of the positions of an image of `target_shape`; with "warp", data (N, 2,
    height, width) are the shifts of each position, in elements. The hidden second output holds the positions before
    them.
    """
    if transform_type == "affine":
        places = _homogeneous(xp, target_shape, data.dtype)
        return xp.matmul(data.reshape(-1, 2, 3), places).reshape(-1, 2, *target_shape), places
    places = _indices(xp, data)
    return (data + places) / _halves(xp, data.shape[2:], data.dtype) - 1, places


def _indices(xp: Any, data: Any) -> Any:
    """Return the indices (x, y) of all elements of an image: (2, height, width)."""
    height, width = data.shape[2:]
    pairs = xp.broadcast_arrays(xp.arange(width)[None, :], xp.arange(height)[:, None])
    return xp.stack(pairs).astype(data.dtype)


@op(
    infer=lambda g, data: data,
    samples=[
        sample((2, 2, 3, 4), (2, 6), transform_type="affine"),
        sample((2, 2, 3, 4), (2, 2, 3, 4), transform_type="warp"),
    ],
)
def _hl_grid_grad(xp: Any, g: Any, data: Any, /, *, transform_type: str) -> Any:
    """Return the gradient with respect to GridGenerator's data."""
    if transform_type == "warp":
        return g / _halves(xp, g.shape[2:], g.dtype)
    places = _homogeneous(xp, g.shape[2:], g.dtype)
    return xp.matmul(g.reshape(len(g), 2, -1), places.T).reshape(data.shape)


def _infer_sampler(data: TensorType, grid: TensorType) -> tuple[TensorType, TensorType]:
    require_rank(data, [4])
    require_rank(grid, [4], "grid")
    dtype = one_dtype(data, grid, argument="grid")
    batch, channels = (Dim.fresh(), Dim.fresh()) if data.shape is None else data.shape[:2]
    if grid.shape is None:
        sizes: tuple[Any, ...] = (Dim.fresh(), Dim.fresh())
    else:
        require_equal(batch, grid.shape[0], "grid", "batch size")
        require_equal(2, grid.shape[1], "grid", "channels")
        batch, sizes = (grid.shape[0] if isinstance(batch, Dim) else batch), grid.shape[2:]
    return TensorType((batch, channels, *sizes), dtype), TensorType((batch, *sizes, 2), dtype)


def _real_places(xp: Any, grid: Any, sizes: Ints) -> Any:
    """Return the positions of a grid converted from [-1, 1] to elements: (N, 2, positions)."""
    return ((grid + 1) * _halves(xp, sizes, grid.dtype)).reshape(len(grid), 2, -1)


def _sampled(xp: Any, data: Any, grid: Any) -> Any:
    places = _real_places(xp, grid, data.shape[2:])
    values = read(xp, data, corners(xp, places[:, 1], places[:, 0], data.shape[2:]))
    return values.reshape(*data.shape[:2], *grid.shape[2:])


@op(
    name="BilinearSampler",
    infer=_infer_sampler,
    outputs=2,
    visible=1,
    grad=lambda F, g, ins, outs: tuple(F._hl_bilinear_sampler_grad(g, *ins)),
    samples=[sample((2, 3, 4, 3), (2, 2, 2, 5), low=-1.3, high=1.3)],
)
def bilinear_sampler(xp: Any, data: Any, grid: Any, /, *, cudnn_off: bool | None = None) -> tuple[Any, Any]:
    """Return images (N, C, height, width) interpolated at the positions (x, y) of a grid (N, 2, rows, columns).

    Positions range from -1 to 1; outside of the image, elements are 0. The hidden second output holds the positions in
    elements.
    """
    places = _real_places(xp, grid, data.shape[2:]).reshape(grid.shape)
    return _sampled(xp, data, grid), xp.ascontiguousarray(xp.moveaxis(places, 1, -1))


@op(
    infer=lambda g, data, grid: (data, grid),
    outputs=2,
    samples=[sample((2, 3, 2, 5), (2, 3, 4, 3), (2, 2, 2, 5), low=-1.3, high=1.3)],
)
def _hl_bilinear_sampler_grad(xp: Any, g: Any, data: Any, grid: Any, /) -> tuple[Any, Any]:
    """Return the gradients with respect to BilinearSampler's data and grid."""
    sizes = data.shape[2:]
    places = _real_places(xp, grid, sizes)
    around = corners(xp, places[:, 1], places[:, 0], sizes)
    into, into_y, into_x = pull(xp, g.reshape(*g.shape[:2], -1), data, around)
    into_grid = xp.stack([into_x, into_y], axis=1).reshape(grid.shape) * _halves(xp, sizes, grid.dtype)
    return into, into_grid.astype(grid.dtype, copy=False)


def _infer_transformer(
    data: TensorType, loc: TensorType, *, target_shape: Ints, transform_type: str, sampler_type: str
) -> tuple[TensorType, TensorType, TensorType]:
    _check_transform(transform_type, ("affine",))
    if sampler_type != "bilinear":
        raise InferError("sampler_type", f"expected 'bilinear', got {sampler_type!r}")
    grid, places = _infer_grid(_affine_maps(loc, "loc"), transform_type="affine", target_shape=target_shape)
    shown, _ = _infer_sampler(data, grid)
    return shown, places.with_dtype(shown.dtype), TensorType(grid.shape, shown.dtype)


def _transformer_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, target_shape: Ints
) -> tuple[Any, ...]:
    data, loc = ins
    grid = F.GridGenerator(loc, transform_type="affine", target_shape=target_shape)
    into_data, into_grid = F._hl_bilinear_sampler_grad(g, data, grid)
    return into_data, F._hl_grid_grad(into_grid, loc, transform_type="affine")


@op(
    name="SpatialTransformer",
    infer=_infer_transformer,
    complete=lambda data, loc: (data, _affine_maps(loc, "loc")),
    outputs=3,
    visible=1,
    grad=_transformer_grad,
    samples=[sample((2, 3, 4, 3), (2, 6), sampler_type="bilinear", low=-1.0, high=1.0, **_AFFINE)],
)
def spatial_transformer(
    xp: Any,
    data: Any,
    loc: Any,
    /,
    *,
    target_shape: Ints = (0, 0),
    transform_type: Literal["affine"],
    sampler_type: Literal["bilinear"],
    cudnn_off: bool | None = None,
) -> tuple[Any, Any, Any]:
    """Return images interpolated at the positions of a grid of `target_shape`, mapped by affine maps `loc` (N, 6).

    The hidden outputs are the positions before and after the maps.
    """
    grid, places = grid_generator(xp, loc, transform_type="affine", target_shape=target_shape)
    return _sampled(xp, data, grid), places, grid
