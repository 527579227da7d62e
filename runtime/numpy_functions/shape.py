"""Functions that move elements: other shapes and orders, joining, splitting, choosing."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.numpy_functions.world import NUMBERS, Function, NumpyWorld


def reshape(world: NumpyWorld, a: Any, newshape: Any, order: str = "C", out: Any = None) -> Any:
    """Give the elements another shape, in which -1 is inferred."""
    return world.call("_np_reshape", a, newshape=newshape, order=order, out=out)


def ravel(world: NumpyWorld, x: Any, order: str = "C") -> Any:
    """Return all elements in a row. Raises NotImplementedError for another order than C."""
    if order != "C":
        raise NotImplementedError(f"order {order} is not supported")
    if isinstance(x, NUMBERS):
        return np.reshape(x, -1)
    return world.call("_npx_reshape", x, newshape=-1)


def squeeze(world: NumpyWorld, a: Any, axis: Any = None, out: Any = None) -> Any:
    """Remove dimensions of size 1."""
    return world.call("_np_squeeze", a, axis=axis, out=out)


def expand_dims(world: NumpyWorld, a: Any, axis: int) -> Any:
    """Insert a dimension of size 1."""
    return world.call("expand_dims", a, axis=axis)


def transpose(world: NumpyWorld, a: Any, axes: Any = None) -> Any:
    """Put the axes into another order, or reverse them."""
    return world.call("_np_transpose", a, axes=axes)


def swapaxes(world: NumpyWorld, a: Any, axis1: int, axis2: int) -> Any:
    """Swap two axes."""
    return world.call("SwapAxis", a, dim1=axis1, dim2=axis2, hint="swapaxes")


def moveaxis(world: NumpyWorld, a: Any, source: Any, destination: Any) -> Any:
    """Move axes to other places."""
    return world.call("_np_moveaxis", a, source=source, destination=destination)


def broadcast_to(world: NumpyWorld, array: Any, shape: Any) -> Any:
    """Repeat the array until it has a shape."""
    if isinstance(array, NUMBERS):
        return world.call("_npi_full", shape=shape, value=array)
    return world.call("_npi_broadcast_to", array, shape=shape)


def flip(world: NumpyWorld, m: Any, axis: Any = None, out: Any = None) -> Any:
    """Reverse the order of elements along axes, or along all."""
    if isinstance(m, NUMBERS):
        return np.flip(m, axis)
    return world.call("_npi_flip", m, axis=axis, out=out)


def fliplr(world: NumpyWorld, m: Any) -> Any:
    """Reverse the order of columns."""
    return flip(world, m, 1)


def flipud(world: NumpyWorld, m: Any) -> Any:
    """Reverse the order of rows."""
    return flip(world, m, 0)


def roll(world: NumpyWorld, a: Any, shift: Any, axis: Any = None) -> Any:
    """Shift elements along axes; those that fall off one end come in at the other."""
    return world.call("_np_roll", a, shift=shift, axis=axis)


def rot90(world: NumpyWorld, m: Any, k: int = 1, axes: Any = (0, 1)) -> Any:
    """Turn the plane of two axes by quarters."""
    return world.call("_npi_rot90", m, k=k, axes=axes)


def tile(world: NumpyWorld, A: Any, reps: Any) -> Any:
    """Repeat the whole array along each dimension."""
    if isinstance(A, NUMBERS):
        return np.tile(A, reps)
    return world.call("tile", A, reps=reps)


def repeat(world: NumpyWorld, a: Any, repeats: Any, axis: Any = None) -> Any:
    """Repeat each element."""
    return world.call("repeat", a, repeats=repeats, axis=axis)


def tril(world: NumpyWorld, m: Any, k: int = 0) -> Any:
    """Keep the lower triangle."""
    return world.call("_npi_tril", m, k=k)


def diag(world: NumpyWorld, array: Any, k: int = 0) -> Any:
    """Return the diagonal of a matrix, or a matrix with a vector on its diagonal."""
    return world.call("_np_diag", array, k=k)


def diagflat(world: NumpyWorld, array: Any, k: int = 0) -> Any:
    """Return a matrix with all elements on its diagonal."""
    return world.call("_np_diagflat", array, k=k)


def diagonal(world: NumpyWorld, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return the diagonal of two axes."""
    return world.call("_np_diagonal", a, offset=offset, axis1=axis1, axis2=axis2)


def trace(world: NumpyWorld, a: Any, offset: int = 0, axis1: int = 0, axis2: int = 1, out: Any = None) -> Any:
    """Sum of the diagonal of two axes."""
    return world.call("_np_trace", a, offset=offset, axis1=axis1, axis2=axis2, out=out)


def diag_indices_from(world: NumpyWorld, arr: Any) -> Any:
    """Return the positions of the main diagonal."""
    found = world.call("_npi_diag_indices_from", arr)
    return tuple(found[k] for k in range(arr.ndim)) if world.eager else found


def pad(world: NumpyWorld, x: Any, pad_width: Any, mode: str = "constant", **kwargs: Any) -> Any:
    """Add elements around the array. Raises ValueError for a mode or a keyword that is not supported."""
    known = {"constant": "constant_values", "edge": None, "reflect": "reflect_type", "symmetric": "reflect_type"}
    known |= {"maximum": None, "minimum": None}
    if mode not in known:
        raise ValueError(f"mode {mode!r} is not supported")
    strangers = set(kwargs) - {known[mode]}
    if strangers:
        raise ValueError(f"unsupported keyword arguments for mode {mode!r}: {strangers}")
    return world.call(
        "_npi_pad", x, pad_width=pad_width, mode=mode, constant_value=kwargs.get("constant_values", 0), hint="pad"
    )


def copy(world: NumpyWorld, a: Any, out: Any = None) -> Any:
    """Return a copy."""
    return world.call("_np_copy", a, out=out)


def concatenate(world: NumpyWorld, seq: Any, axis: Any = 0, out: Any = None) -> Any:
    """Join arrays along an axis; with None all their elements in a row."""
    return world.call("_npi_concatenate", *seq, axis=axis, out=out)


def append(world: NumpyWorld, arr: Any, values: Any, axis: Any = None) -> Any:
    """Join two arrays along an axis; with None all their elements in a row."""
    return concatenate(world, [arr, values], axis)


def stack(world: NumpyWorld, arrays: Any, axis: int = 0, out: Any = None) -> Any:
    """Join arrays of one shape along a new axis."""
    return world.call("_npi_stack", *arrays, axis=axis, out=out)


def vstack(world: NumpyWorld, arrays: Any, out: Any = None) -> Any:
    """Join arrays as rows."""
    return world.call("_npi_vstack", *arrays, out=out)


def hstack(world: NumpyWorld, arrays: Any) -> Any:
    """Join arrays as columns."""
    return world.call("_npi_hstack", *arrays)


def dstack(world: NumpyWorld, arrays: Any) -> Any:
    """Join arrays along the third dimension."""
    return world.call("_npi_dstack", *arrays)


def column_stack(world: NumpyWorld, tup: Any) -> Any:
    """Join vectors as columns of a matrix."""
    return world.call("_npi_column_stack", *tup)


def split(world: NumpyWorld, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Split into equal parts or where indices say. Raises ValueError if equal parts do not come out."""
    if isinstance(indices_or_sections, int) and world.eager and ary.shape[axis] % indices_or_sections:
        raise ValueError("array split does not result in an equal division")
    return _split(world, "_npi_split", ary, indices_or_sections, axis=axis)


def array_split(world: NumpyWorld, ary: Any, indices_or_sections: Any, axis: int = 0) -> Any:
    """Split into parts of nearly equal size, or where indices say."""
    return _split(world, "_npi_split", ary, indices_or_sections, axis=axis)


def hsplit(world: NumpyWorld, ary: Any, indices_or_sections: Any) -> Any:
    """Split along the second dimension, or the only one."""
    if world.eager and ary.ndim < 1:
        raise ValueError("hsplit only works on arrays of 1 or more dimensions")
    if world.eager and ary.ndim < 2:
        return split(world, ary, indices_or_sections, 0)
    return _split(world, "_npi_hsplit", ary, indices_or_sections)


def vsplit(world: NumpyWorld, ary: Any, indices_or_sections: Any) -> Any:
    """Split along the first dimension. Raises ValueError for a vector."""
    if world.eager and ary.ndim < 2:
        raise ValueError("vsplit only works on arrays of 2 or more dimensions")
    return split(world, ary, indices_or_sections, 0)


def dsplit(world: NumpyWorld, ary: Any, indices_or_sections: Any) -> Any:
    """Split along the third dimension. Raises ValueError for fewer dimensions."""
    if world.eager and ary.ndim < 3:
        raise ValueError("dsplit only works on arrays of 3 or more dimensions")
    return _split(world, "_npi_dsplit", ary, indices_or_sections)


def _split(world: NumpyWorld, name: str, ary: Any, where: Any, **params: Any) -> Any:
    if isinstance(where, int):
        parts = world.call(name, ary, indices=(), sections=where, **params)
    elif isinstance(where, (list, tuple, set)):
        parts = world.call(name, ary, indices=(0, *where), **params)
    else:
        raise ValueError("indices_or_sections must be either int, or tuple / list / set of ints")
    if world.eager:
        return list(parts) if isinstance(parts, (list, tuple)) else [parts]
    return [parts] if len(parts._entries) == 1 else list(parts)


def where(world: NumpyWorld, condition: Any, x: Any = None, y: Any = None) -> Any:
    """Choose elements of x or y; with neither, the positions where the condition is not 0. Raises ValueError."""
    if x is None and y is None:
        return nonzero(world, condition)
    if x is None or y is None:
        raise ValueError("either both or neither of x and y should be given")
    if isinstance(condition, NUMBERS):
        return x if condition != 0 else y
    numbers = isinstance(x, NUMBERS), isinstance(y, NUMBERS)
    if numbers == (True, True):
        return world.call("_npi_where_scalar2", condition, x=float(x), y=float(y))
    if numbers == (True, False):
        return world.call("_npi_where_lscalar", condition, y, scalar=float(x))
    if numbers == (False, True):
        return world.call("_npi_where_rscalar", condition, x, scalar=float(y))
    return world.call("_npi_where", condition, x, y)


def nonzero(world: NumpyWorld, a: Any) -> Any:
    """Return the positions of elements that are not 0, one array for each dimension."""
    found = world.call("_npx_nonzero", a)
    columns = world.call("_np_transpose", found)
    return tuple(columns[k] for k in range(a.ndim))


def take(world: NumpyWorld, a: Any, indices: Any, axis: Any = None, mode: str = "raise", out: Any = None) -> Any:
    """Take elements by position along an axis, or of the flat array. Raises NotImplementedError for another mode."""
    if mode not in {"wrap", "clip", "raise"}:
        raise NotImplementedError(f"function take does not support mode '{mode}'")
    if axis is None:
        return world.call("take", world.call("_npx_reshape", a, newshape=-1), indices, axis=0, mode=mode, out=out)
    return world.call("take", a, indices, axis=axis, mode=mode, out=out)


def sort(world: NumpyWorld, a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """Sort along an axis, or the flat array. Raises NotImplementedError for `order`."""
    if order is not None:
        raise NotImplementedError("order is not supported")
    return world.call("sort", a, axis=axis, is_ascend=True)


def argsort(world: NumpyWorld, a: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """Return the positions that sort along an axis. Raises NotImplementedError for `order`."""
    if order is not None:
        raise NotImplementedError("order is not supported")
    return world.call("argsort", a, axis=axis, is_ascend=True, dtype="int64")


def diff(world: NumpyWorld, a: Any, n: int = 1, axis: int = -1, prepend: Any = None, append: Any = None) -> Any:
    """Differences of neighbours. Raises NotImplementedError for `prepend` and `append`."""
    if prepend is not None or append is not None:
        raise NotImplementedError("prepend and append are not supported")
    return world.call("_npi_diff", a, n=n, axis=axis)


def _at_least(rank: int) -> Function:
    def function(world: NumpyWorld, *arys: Any) -> Any:
        return world.call(f"_np_atleast_{rank}d", *arys, num_args=len(arys))

    function.__doc__ = f"Give arrays of fewer dimensions {rank}."
    return function


FUNCTIONS: dict[str, Function] = {
    name: value
    for name, value in globals().items()
    if callable(value) and getattr(value, "__module__", None) == __name__ and not name.startswith("_")
} | {
    "row_stack": vstack,
    "atleast_1d": _at_least(1),
    "atleast_2d": _at_least(2),
    "atleast_3d": _at_least(3),
}
