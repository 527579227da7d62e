"""Operators of numpy mode that take rows out of an axis, or put further ones in."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.dims import Dim, DimLike, product
from hybridlint.runtime.facts.infer import normal_axis
from hybridlint.runtime.facts.registry import Facts, op, sample
from hybridlint.runtime.facts.types import InferError, Shape, TensorType

_NUMBER = TensorType(())
_DYNAMIC = Facts(dynamic_shape=True)


def _removed(shape: Shape, axis: int | None) -> tuple[Shape, int]:
    if axis is None:
        return (product(shape),), 0
    return shape, normal_axis(axis, len(shape))


def _infer_delete(
    arr: TensorType,
    obj: TensorType = _NUMBER,
    /,
    *,
    start: int | None,
    stop: int | None,
    step: int | None,
    int_ind: int | None,
    axis: int | None,
) -> TensorType:
    if arr.shape is None:
        return arr
    shape, place = _removed(arr.shape, axis)
    size = shape[place]
    left: DimLike = Dim.fresh()
    if int_ind is not None:
        if isinstance(size, int) and not -size <= int_ind < size:
            raise InferError("obj", f"index {int_ind} is out of bounds for a size of {size}")
        left = size + -1
    elif isinstance(size, int) and (start, stop, step) != (None, None, None):
        left = size - len(range(*slice(start, stop, step).indices(size)))
    return arr.with_shape((*shape[:place], left, *shape[place + 1 :]))


@op(
    infer=_infer_delete,
    grad=None,
    active_inputs=lambda *, int_ind, start, stop, step: (
        ("arr", "obj") if (int_ind, start, stop, step) == (None,) * 4 else ("arr",)
    ),
    samples=[sample((2, 3), int_ind=1, axis=1), sample((6,), start=1, stop=4, step=1)],
    facts=_DYNAMIC,
)
def _npi_delete(
    xp: Any,
    arr: Any,
    obj: Any = None,
    /,
    *,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Any:
    """Return the array without some slices along an axis: one index, a Python slice, or an array of indices."""
    if obj is not None:
        # Positions that the axis does not have, and those counted from its end, take nothing away.
        _, place = _removed(arr.shape, axis)
        size = arr.size if axis is None else arr.shape[place]
        wanted = obj.astype("int64").reshape(-1)
        return xp.delete(arr, wanted[(wanted >= 0) & (wanted < size)], axis)
    return xp.delete(arr, slice(start, stop, step) if int_ind is None else int_ind, axis)


def _infer_insert(arr: TensorType, values: TensorType = _NUMBER, /, *, axis: int | None, **where: Any) -> TensorType:
    if arr.shape is None:
        return arr
    shape, place = _removed(arr.shape, axis)
    return arr.with_shape((*shape[:place], Dim.fresh(), *shape[place + 1 :]))


_INSERT_FACTS = Facts(numpy_names=("insert",), dynamic_shape=True)


def _inserting(name: str, sliced: bool) -> None:
    def kernel(
        xp: Any,
        arr: Any,
        values: Any = None,
        /,
        *,
        val: float | None = None,
        start: int | None = None,
        stop: int | None = None,
        step: int | None = None,
        int_ind: int | None = None,
        axis: int | None = None,
    ) -> Any:
        where = slice(start, stop, step) if sliced else int_ind
        return xp.insert(arr, where, val if values is None else values, axis)

    kernel.__name__, kernel.__doc__ = name, "Return the array with further rows before given positions of an axis."
    op(
        infer=_infer_insert,
        host="CuPy has no insert",
        active_inputs=lambda *, val: ("arr", "values") if val is None else ("arr",),
        samples=[
            sample((6,), (2,), start=1, stop=3, step=1, axis=0) if sliced else sample((6,), val=2.0, int_ind=1),
        ],
        facts=_INSERT_FACTS if not sliced else _DYNAMIC,
    )(kernel)


_inserting("_npi_insert_scalar", sliced=False)
_inserting("_npi_insert_slice", sliced=True)


@op(
    infer=lambda arr, values=_NUMBER, obj=_NUMBER, /, *, val, axis: _infer_insert(arr, values, axis=axis),
    host="CuPy has no insert",
    active_inputs=lambda *, val: ("arr", "values", "obj") if val is None else ("arr", "values"),
    samples=[sample((6,), (2,), (2,), low=0, high=4, dtypes=("float32", "float32", "int64"), axis=0)],
    facts=_DYNAMIC,
)
def _npi_insert_tensor(
    xp: Any,
    arr: Any,
    values: Any = None,
    obj: Any = None,
    /,
    *,
    val: float | None = None,
    start: int | None = None,
    stop: int | None = None,
    step: int | None = None,
    int_ind: int | None = None,
    axis: int | None = None,
) -> Any:
    """Return the array with further rows before the positions of an axis that an array has.

    With a number `val` to insert, the second input is the positions.
    """
    where, rows = (values, val) if val is not None else (obj, values)
    return xp.insert(arr, where.astype("int64"), rows, axis)
