"""Joining and splitting arrays in numpy mode."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike, product
from hybridlint.runtime.facts.infer import normal_axis, unify_dims
from hybridlint.runtime.facts.registry import Facts, derive, op, sample
from hybridlint.runtime.facts.types import InferError, Ints, Shape, TensorType
from hybridlint.runtime.ops.arrays import join  # noqa: F401  (the operators that these are derived from)
from hybridlint.runtime.ops.type_rules import one_dtype, require_equal

derive("_npi_stack", "stack", facts=Facts(numpy_names=("stack",)))


def _joined(shapes: Sequence[Shape], axis: int) -> Shape:
    """Return the shape of arrays joined along an axis. Raises InferError where they do not fit."""
    place = normal_axis(axis, len(shapes[0]))
    result = shapes[0]
    for shape in shapes[1:]:
        if len(shape) != len(result):
            raise InferError("data", f"{len(result)} and {len(shape)} dimensions cannot be joined")
        for k, (a, b) in enumerate(zip(result, shape, strict=True)):
            if k != place:
                require_equal(a, b, "data", f"sizes along dimension {k} must agree")
        result = tuple(
            a + b if k == place else unify_dims(a, b) for k, (a, b) in enumerate(zip(result, shape, strict=True))
        )
    return result


def _infer_concatenate(*data: TensorType, axis: int | None) -> TensorType:
    dtype = one_dtype(*data, argument="data")
    shapes = [t.shape for t in data if t.shape is not None]
    if len(shapes) < len(data):
        return TensorType(None, dtype)
    if axis is None:
        total: DimLike = 0
        for shape in shapes:
            total = product(shape) + total
        return TensorType((total,), dtype)
    return TensorType(_joined(shapes, axis), dtype)


def _concatenate_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, axis: int | None
) -> tuple[Any, ...]:
    if axis is not None:
        return tuple(F._hl_part(g, *ins, dim=axis, index=k) for k in range(len(ins)))
    flat = [F._np_reshape(x, newshape=(-1,)) for x in ins]
    return tuple(F.reshape_like(F._hl_part(g, *flat, dim=0, index=k), x) for k, x in enumerate(ins))


@op(
    infer=_infer_concatenate,
    grad=_concatenate_grad,
    samples=[sample((2, 1), (2, 3), axis=1), sample((2, 3), (1, 3)), sample((2, 1), (3,), axis=None)],
    facts=Facts(numpy_names=("concatenate",)),
)
def _npi_concatenate(xp: Any, /, *data: Any, axis: int | None = 0) -> Any:
    """Join arrays along an existing axis; if the axis is None, join all flattened arrays."""
    return xp.concatenate(data, axis=axis)


def _vertical(shape: Shape) -> Shape:
    return (1,) * (2 - len(shape)) + shape


def _horizontal(shape: Shape) -> Shape:
    return shape or (1,)


def _deep(shape: Shape) -> Shape:
    return {0: (1, 1, 1), 1: (1, *shape, 1), 2: (*shape, 1)}.get(len(shape), shape)


def _as_column(shape: Shape) -> Shape:
    return shape if len(shape) >= 2 else (*(shape or (1,)), 1)


def _stacking(name: str, prepare: Any, axis_of: Any, doc: str) -> None:
    """Register an operator that reshapes each array with ``prepare(shape)`` and joins them along ``axis_of(shape)``."""

    def infer(*data: TensorType) -> TensorType:
        dtype = one_dtype(*data, argument="data")
        if any(t.shape is None for t in data):
            return TensorType(None, dtype)
        shapes = [prepare(t.shape) for t in data]
        return TensorType(_joined(shapes, axis_of(shapes[0])), dtype)

    def kernel(xp: Any, /, *data: Any) -> Any:
        shaped = [a.reshape(prepare(a.shape)) for a in data]
        return xp.concatenate(shaped, axis=axis_of(shaped[0].shape))

    def gradient(F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[Any, ...]:
        shaped = [F._np_reshape(x, newshape=prepare(tuple(x.shape))) for x in ins]
        axis = axis_of(tuple(shaped[0].shape))
        return tuple(F.reshape_like(F._hl_part(g, *shaped, dim=axis, index=k), x) for k, x in enumerate(ins))

    kernel.__name__, kernel.__doc__ = f"_npi_{name}", doc
    op(
        infer=infer,
        grad=gradient,
        samples=[sample((3,), (3,)), sample((2, 3), (2, 3)), sample((2, 3, 2), (2, 3, 2))],
        facts=Facts(numpy_names=(name,)),
    )(kernel)


_stacking("vstack", _vertical, lambda shape: 0, "Join arrays as rows.")
_stacking("hstack", _horizontal, lambda shape: 0 if len(shape) == 1 else 1, "Join arrays as columns.")
_stacking("dstack", _deep, lambda shape: 2, "Join arrays along the third dimension.")
_stacking("column_stack", _as_column, lambda shape: 1, "Join vectors as columns of a matrix.")


def _bounds(size: int, indices: Ints, sections: int) -> tuple[int, ...]:
    """Return the start of each part of a split axis, followed by the end of the last part.

    `sections` is the number of parts; if it is 0, `indices` holds the starts.
    """
    if not sections:
        return (*(min(i if i >= 0 else max(i + size, 0), size) for i in indices), size)
    each, extra = divmod(size, sections)
    sizes = [each + 1] * extra + [each] * (sections - extra)
    return tuple(sum(sizes[:k]) for k in range(sections + 1))


def _infer_split(
    data: TensorType, /, *, indices: Ints, axis: int, squeeze_axis: bool, sections: int
) -> tuple[TensorType, ...]:
    count = sections or len(indices)
    if data.shape is None:
        return (data,) * count
    place = normal_axis(axis, len(data.shape))
    size = data.shape[place]
    before, after = data.shape[:place], data.shape[place + 1 :]
    if not isinstance(size, int):
        parts: list[DimLike] = [size // sections if sections else Dim.fresh()] * count
    else:
        bounds = _bounds(size, indices, sections)
        parts = [max(end - start, 0) for start, end in itertools.pairwise(bounds)]
    return tuple(data.with_shape((*before, *(() if squeeze_axis else (part,)), *after)) for part in parts)


def _split_grad(
    F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, indices: Ints, axis: int, sections: int
) -> tuple[Any, ...]:
    count = sections or len(indices)
    return (F._npi_concatenate(*((g,) if count == 1 else tuple(g)), axis=axis),)


def _splitting(name: str, axis: int, flat: int | None = None) -> None:
    """Register a split along an axis; of vectors along the axis `flat`."""

    def of(place: int, rank: int) -> int:
        return flat if rank == 1 and flat is not None else place

    def infer(
        data: TensorType, /, *, indices: Ints, axis: int, squeeze_axis: bool, sections: int
    ) -> tuple[TensorType, ...]:
        place = of(axis, len(data.shape or ()))
        return _infer_split(data, indices=indices, axis=place, squeeze_axis=squeeze_axis, sections=sections)

    def gradient(
        F: Any, g: Any, ins: tuple[Any, ...], outs: tuple[Any, ...], *, indices: Ints, axis: int, sections: int
    ) -> tuple[Any, ...]:
        return _split_grad(F, g, ins, outs, indices=indices, axis=of(axis, len(ins[0].shape)), sections=sections)

    def kernel(
        xp: Any, data: Any, /, *, indices: Ints = (), axis: int = axis, squeeze_axis: bool = False, sections: int = 0
    ) -> tuple[Any, ...]:
        place = of(axis, data.ndim)
        bounds = _bounds(data.shape[place], indices, sections)
        return tuple(xp.split(data, bounds[1:-1], place))

    kernel.__name__ = f"_npi_{name}"
    kernel.__doc__ = "Split along an axis where parts start (`indices`, the first is 0), or into `sections`."
    shape = (2, 4, 4)
    op(
        infer=infer,
        grad=gradient,
        outputs=lambda *, indices, sections: sections or len(indices),
        samples=[sample(shape, indices=(), sections=2, axis=axis), sample(shape, indices=(0, 1, 3), axis=axis)],
        facts=Facts(numpy_names=(name,)),
    )(kernel)


_splitting("split", 1)
_splitting("hsplit", 1, flat=0)
_splitting("dsplit", 2)
