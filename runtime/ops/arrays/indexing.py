"""Operators that select elements by tensors of indices, and their gradients, which are summed at equal indices."""

from __future__ import annotations

from typing import Any, Literal

from hybridlint.runtime.facts.deferred_shapes import waits, when_known
from hybridlint.runtime.facts.dims import Dim, DimLike
from hybridlint.runtime.facts.infer import normal_axis, unify_shapes
from hybridlint.runtime.facts.registry import Facts, op, sample, zero_gradient
from hybridlint.runtime.facts.types import Dtype, InferError, Ints, LateError, LateIndexError, Shape, TensorType
from hybridlint.runtime.ops.storage.structure import TAKE
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal, require_rank


def bounded(xp: Any, indices: Any, size: int, mode: str) -> Any:
    """Return indices as int64 within [0, size): clipped or wrapped around.

    With mode "raise", raises LateError if an index is out of bounds.
    """
    whole = indices.astype("int64")
    if mode == "wrap":
        return whole % size
    if mode == "raise" and whole.size and (int(whole.min()) < 0 or int(whole.max()) >= size):
        raise LateError(f"take: an index is out of bounds for size {size}")
    return xp.clip(whole, 0, size - 1) if mode == "clip" else whole


@waits(when_known)
def _infer_take(a: TensorType, indices: TensorType, *, axis: int, mode: str) -> TensorType:
    if mode not in {"clip", "wrap", "raise"}:
        raise InferError("mode", f"expected 'clip', 'wrap' or 'raise', got {mode!r}")
    if a.shape is None:
        return a
    axis = normal_axis(axis, len(a.shape))
    if indices.shape is None:
        return a.with_shape(None)
    return a.with_shape((*a.shape[:axis], *indices.shape, *a.shape[axis + 1 :]))


@op(
    infer=_infer_take,
    grad=lambda F, g, ins, outs, *, axis, mode: (F._hl_take_grad(g, ins[1], ins[0], axis=axis, mode=mode), None),
    facts=Facts(numpy_names=("take",), indices=("indices",)),
    samples=[
        sample((4, 3), (2,), low=0.0, high=4.0, dtypes=("float32", "int32")),
        sample((2, 3, 2), (2, 2), axis=1, low=-2.0, high=5.0, dtypes=("float32", "int32")),
        sample((2, 3), (2,), axis=-1, mode="wrap", low=-4.0, high=7.0, dtypes=("float32", "int32")),
    ],
    method="take",
    storage=TAKE,
)
def take(xp: Any, a: Any, indices: Any, /, *, axis: int = 0, mode: Literal["clip", "raise", "wrap"] = "clip") -> Any:
    """Select elements along an axis by index. The shape of `indices` replaces the axis; fractions are truncated."""
    return xp.take(a, bounded(xp, indices, a.shape[axis], mode), axis=axis)


@op(
    infer=lambda g, indices, a: a,
    grad=lambda F, gg, ins, outs, *, axis, mode: (F.take(gg, ins[1], axis=axis, mode=mode), None, None),
    samples=[sample((2, 3), (2,), (4, 3), axis=0, low=0.0, high=4.0, dtypes=("float32", "int32", "float32"))],
)
def _hl_take_grad(xp: Any, g: Any, indices: Any, a: Any, /, *, axis: int, mode: str = "clip") -> Any:
    """Return the gradient with respect to take's `a`: `g` summed at the indices that were taken."""
    axis = axis % a.ndim
    chosen = bounded(xp, indices, a.shape[axis], mode).reshape(-1)
    into = xp.zeros((a.shape[axis], *a.shape[:axis], *a.shape[axis + 1 :]), g.dtype)
    merged = g.reshape(*a.shape[:axis], -1, *a.shape[axis + 1 :])
    xp.add.at(into, chosen, xp.moveaxis(merged, axis, 0))
    return xp.ascontiguousarray(xp.moveaxis(into, 0, axis)).astype(a.dtype, copy=False)


def _infer_batch_take(a: TensorType, indices: TensorType) -> TensorType:
    require_rank(a, [2], "a")
    require_rank(indices, [1], "indices")
    if indices.dtype not in {None, "int32"}:
        raise InferError("indices", f"expected int32, got {indices.dtype}")
    shapes = [t.shape[0] for t in (a, indices) if t.shape is not None]
    if len(shapes) == 2:
        require_equal(shapes[0], shapes[1], "indices", "number of rows")
    return a.with_shape((shapes[0] if shapes else Dim.fresh(),))


@op(
    infer=_infer_batch_take,
    grad=None,
    samples=[sample((3, 2), (3,), low=0.0, high=2.0, dtypes=("float32", "int32"))],
    facts=Facts(indices=("indices",)),
)
def batch_take(xp: Any, a: Any, indices: Any, /) -> Any:
    """Return one element of each row of the matrix `a`: ``a[i, indices[i]]``."""
    return a[xp.arange(a.shape[0]), bounded(xp, indices, a.shape[1], "clip")]


def _infer_pick(data: TensorType, index: TensorType, *, axis: int | None, keepdims: bool, mode: str) -> TensorType:
    if axis is None:
        raise InferError("axis", "pick without an axis is not supported")
    if data.shape is None:
        return data
    axis = normal_axis(axis, len(data.shape))
    kept = (*data.shape[:axis], 1, *data.shape[axis + 1 :])
    dropped = (*data.shape[:axis], *data.shape[axis + 1 :])
    if index.shape is not None:
        unify_shapes(kept if len(index.shape) == len(kept) else dropped, index.shape, "index")
    return data.with_shape(kept if keepdims else dropped or (1,))


def _pick_indices(xp: Any, index: Any, data: Any, axis: int, mode: str, bound: Any = bounded) -> Any:
    whole = bound(xp, index, data.shape[axis], mode)
    return whole.reshape(tuple(1 if k == axis % data.ndim else n for k, n in enumerate(data.shape)))


def _bounded_numbers(xp: Any, indices: Any, size: int, mode: str) -> Any:
    """Return indices within [0, size) as whole numbers in their own type, for what compares them."""
    whole = xp.trunc(indices)
    return whole - xp.floor(whole / size) * size if mode == "wrap" else xp.clip(whole, 0, size - 1)


def _places(xp: Any, data: Any, axis: int) -> Any:
    """Return the positions along an axis, which broadcast to the data."""
    return xp.arange(data.shape[axis]).reshape((-1,) + (1,) * (data.ndim - 1 - axis % data.ndim))


def _picked_by_comparing(xp: Any, data: Any, index: Any, /, *, axis: int | None, keepdims: bool, mode: str) -> Any:
    """Pick by comparing all positions with the index, in the pass over the data that native code makes anyway."""
    place = -1 if axis is None else axis
    chosen = _pick_indices(xp, index, data, place, mode, _bounded_numbers)
    picked = xp.where(_places(xp, data, place) == chosen, data, 0).sum(axis=place, keepdims=True)
    return picked if keepdims or data.ndim == 1 else picked.squeeze(place)


def _returned_by_comparing(xp: Any, g: Any, index: Any, data: Any, /, *, axis: int, mode: str = "clip") -> Any:
    """Gradient of pick, by comparing all positions with the index."""
    chosen = _pick_indices(xp, index, data, axis, mode, _bounded_numbers)
    return (_places(xp, data, axis) == chosen) * g.reshape(chosen.shape)


def _hot_by_comparing(xp: Any, indices: Any, /, *, depth: int, on_value: float, off_value: float, dtype: Dtype) -> Any:
    """Vectors of one_hot by comparing whole numbers in the type of the indices."""
    return xp.where(xp.trunc(indices)[..., None] == xp.arange(depth), on_value, off_value).astype(dtype)


@op(
    aliases=("choose_element_0index",),
    native=_picked_by_comparing,
    infer=_infer_pick,
    grad=lambda F, g, ins, outs, *, axis, mode: (F._hl_pick_grad(g, ins[1], ins[0], axis=axis, mode=mode), None),
    samples=[
        sample((3, 2), (3,), low=-1.0, high=3.0, dtypes=("float32", "int32")),
        sample((3, 2), (2,), axis=0, keepdims=True, low=0.0, high=3.0),
        sample((3, 2), (3, 1), axis=1, mode="wrap", low=-3.0, high=4.0, dtypes=("float32", "int32")),
    ],
    facts=Facts(indices=("index",)),
    method="pick",
)
def pick(
    xp: Any,
    data: Any,
    index: Any,
    /,
    *,
    axis: int | None = -1,
    keepdims: bool = False,
    mode: Literal["clip", "wrap"] = "clip",
) -> Any:
    """Select one element along `axis` for each position of the other axes, by the indices in `index`."""
    place = -1 if axis is None else axis
    picked = xp.take_along_axis(data, _pick_indices(xp, index, data, place, mode), place)
    if keepdims:
        return picked
    return picked.squeeze(place) if data.ndim > 1 else picked


@op(
    infer=lambda g, index, data: data,
    native=_returned_by_comparing,
    grad=lambda F, gg, ins, outs, *, axis, mode: (
        F.reshape_like(F.pick(gg, ins[1], axis=axis, mode=mode), ins[0]),
        None,
        None,
    ),
    samples=[sample((3,), (3,), (3, 2), axis=-1, low=0.0, dtypes=("float32", "int32", "float32"))],
)
def _hl_pick_grad(xp: Any, g: Any, index: Any, data: Any, /, *, axis: int, mode: str = "clip") -> Any:
    """Return the gradient with respect to pick's data: `g` at the picked elements, 0 elsewhere."""
    chosen = _pick_indices(xp, index, data, axis, mode)
    return (_places(xp, data, axis) == chosen) * g.reshape(chosen.shape)


@op(
    native=_hot_by_comparing,
    grad=zero_gradient,
    infer=lambda indices, *, depth, dtype: TensorType(
        None if indices.shape is None else (*indices.shape, depth), dtype
    ),
    samples=[
        sample((3,), depth=3, low=-1.0, high=4.0),
        sample((2, 2), depth=2, on_value=2.0, off_value=-1.0, dtype="int32", low=0.0),
    ],
    facts=Facts(indices=("indices",)),
    method="one_hot",
)
def one_hot(
    xp: Any, indices: Any, /, *, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Dtype = "float32"
) -> Any:
    """Return a one-hot vector of size `depth` for each index, along a new last axis.

    An index out of range gives a vector of `off_value` alone.
    """
    places = indices.astype("int64").reshape(-1)
    rows = xp.nonzero((places >= 0) & (places < depth))[0]
    on, off = (xp.asarray(value).astype(dtype) for value in (on_value, off_value))
    result = xp.full((len(places), depth), off)
    result[rows, places[rows]] = on
    return result.reshape(*indices.shape, depth)


def _index_rows(indices: TensorType) -> tuple[DimLike | None, Shape | None]:
    """Return M and the following shape for indices of shape (M, ...); two None if it is unknown.

    M is the number of dimensions that are indexed.
    """
    if indices.shape is None:
        return None, None
    if not indices.shape:
        raise InferError("indices", "expected at least one dimension")
    return indices.shape[0], indices.shape[1:]


def _infer_gather_nd(data: TensorType, indices: TensorType) -> TensorType:
    count, places = _index_rows(indices)
    if data.shape is None or places is None or not isinstance(count, int):
        return data.with_shape(None)
    if count > len(data.shape):
        raise InferError("indices", f"{count} indices for {len(data.shape)} dimensions")
    return data.with_shape((*places, *data.shape[count:]))


def _coordinates(xp: Any, indices: Any, sizes: Ints) -> tuple[Any, ...]:
    """Return the rows of `indices` as int64 arrays, one per dimension. Raises LateIndexError for one out of bounds."""
    rows = tuple(indices.astype("int64"))
    for axis, (row, size) in enumerate(zip(rows, sizes, strict=False)):
        if row.size and not -size <= (wrong := int(row.min())) <= (wrong := int(row.max())) < size:
            raise LateIndexError(f"index {wrong} is out of bounds for axis {axis} with size {size}")
    return rows


@op(
    infer=_infer_gather_nd,
    grad=lambda F, g, ins, outs: (F._hl_gather_nd_grad(g, ins[1], ins[0]), None),
    samples=[
        sample((2, 3, 2), (2, 4), low=0.0, high=1.0, dtypes=("float32", "int32")),
        sample((3, 2), (1, 2, 2), low=-2.0, high=1.0, dtypes=("float32", "int32")),
    ],
    facts=Facts(indices=("indices",)),
    differentiable_twice=True,
)
def gather_nd(xp: Any, data: Any, indices: Any, /) -> Any:
    """Select elements by coordinates: `indices` (M, ...) gives M coordinates for each element of the result."""
    return data[_coordinates(xp, indices, data.shape)]


@op(
    infer=lambda g, indices, data: data,
    grad=lambda F, gg, ins, outs: (F.gather_nd(gg, ins[1]), None, None),
    samples=[sample((4,), (2, 4), (2, 2), low=0.0, high=1.0, dtypes=("float32", "int32", "float32"))],
)
def _hl_gather_nd_grad(xp: Any, g: Any, indices: Any, data: Any, /) -> Any:
    """Return the gradient with respect to gather_nd's data: `g` summed at the coordinates that were selected."""
    into = xp.zeros_like(data)
    xp.add.at(into, _coordinates(xp, indices, data.shape), g)
    return into


def _infer_scatter_nd(data: TensorType, indices: TensorType, *, shape: Ints) -> TensorType:
    count, places = _index_rows(indices)
    if isinstance(count, int) and count > len(shape):
        raise InferError("indices", f"{count} indices for {len(shape)} dimensions")
    if data.shape is not None and places is not None and isinstance(count, int):
        unify_shapes((*places, *shape[count:]), data.shape, "data")
    return data.with_shape(shape)


@op(
    infer=_infer_scatter_nd,
    grad=lambda F, g, ins, outs: (F.gather_nd(g, ins[1]), None),
    samples=[sample((1,), (2, 1), shape=(2, 3), low=0.0, dtypes=("float32", "int32"))],
    differentiable_twice=True,
)
def scatter_nd(xp: Any, data: Any, indices: Any, /, *, shape: Ints) -> Any:
    """Write elements at coordinates into zeros of shape `shape`. If coordinates repeat, the last element remains."""
    result = xp.zeros(shape, data.dtype)
    result[_coordinates(xp, indices, shape)] = data
    return result


def _infer_mask(data: TensorType, index: TensorType, *, axis: int) -> TensorType:
    if axis != 0:
        raise InferError("axis", "only axis 0 is supported")
    require_rank(index, [1], "index")
    if data.shape is None:
        return data
    if index.shape is not None:
        require_equal(data.shape[0], index.shape[0], "index", "number of rows")
    return data.with_shape((Dim.fresh(), *data.shape[1:]))


@op(
    name="_contrib_boolean_mask",
    infer=_infer_mask,
    grad=lambda F, g, ins, outs: (F._hl_boolean_mask_grad(g, ins[1], ins[0]), None),
    facts=Facts(dynamic_shape=True),
    samples=[sample((4, 2), (4,), low=0.0, dtypes=("float32", "int32"))],
)
def boolean_mask(xp: Any, data: Any, index: Any, /, *, axis: int = 0) -> Any:
    """Return the slices along `axis` whose `index` is not zero; their number depends on the values."""
    return data[index != 0]


@op(
    infer=lambda g, index, data: data,
    samples=[sample((2, 2), (2,), (2, 2), low=1.0, dtypes=("float32", "int32", "float32"))],
)
def _hl_boolean_mask_grad(xp: Any, g: Any, index: Any, data: Any, /) -> Any:
    """Return the gradient with respect to boolean_mask's data: `g` in the rows that were kept, 0 elsewhere."""
    into = xp.zeros_like(data)
    into[index != 0] = g
    return into


def _infer_index_copy(old_tensor: TensorType, index_vector: TensorType, new_tensor: TensorType) -> TensorType:
    require_rank(index_vector, [1], "index_vector")
    if old_tensor.shape is not None and new_tensor.shape is not None:
        unify_shapes(old_tensor.shape[1:], new_tensor.shape[1:], "new_tensor")
    return old_tensor.with_dtype(one_dtype(old_tensor, new_tensor, argument="new_tensor"))


@op(
    name="_contrib_index_copy",
    infer=_infer_index_copy,
    grad=lambda F, g, ins, outs: (
        F._contrib_index_copy(g, ins[1], F.zeros_like(ins[2])),
        None,
        F.take(g, ins[1]),
    ),
    samples=[sample((4, 2), (1,), (1, 2), low=0.0, high=3.0, dtypes=("float32", "int32", "float32"))],
)
def index_copy(xp: Any, old_tensor: Any, index_vector: Any, new_tensor: Any, /) -> Any:
    """Return a copy of `old_tensor` with the rows of `new_tensor` at the indices in `index_vector`."""
    result = old_tensor.copy()
    result[index_vector.astype("int64")] = new_tensor
    return result


def _infer_index_array(data: TensorType, *, axes: Ints | None) -> TensorType:
    if data.shape is None:
        return TensorType(None, "int64")
    count = len(data.shape) if axes is None else len(axes)
    return TensorType((*data.shape, count), "int64")


@op(
    name="_contrib_index_array",
    infer=_infer_index_array,
    grad=zero_gradient,
    samples=[sample((2, 3)), sample((2, 3), axes=(1, 0))],
)
def index_array(xp: Any, data: Any, /, *, axes: Ints | None = None) -> Any:
    """Return the coordinates of every element as int64, along a new last axis: all of them, or those along `axes`."""
    grid = xp.indices(data.shape, dtype="int64")
    chosen = grid if axes is None else grid[list(axes)]
    return xp.ascontiguousarray(xp.moveaxis(chosen, 0, -1))
