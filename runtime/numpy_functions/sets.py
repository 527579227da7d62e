"""Functions whose result depends on values: distinct elements, counts, insertions, removals."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.numpy_functions.world import NUMBERS, Function, NumpyWorld


def unique(
    world: NumpyWorld,
    ar: Any,
    return_index: bool = False,
    return_inverse: bool = False,
    return_counts: bool = False,
    axis: int | None = None,
) -> Any:
    """Return the distinct elements in order; with further results as a tuple."""
    found = world.call(
        "_npi_unique",
        ar,
        return_index=return_index,
        return_inverse=return_inverse,
        return_counts=return_counts,
        axis=axis,
    )
    return tuple(found) if world.eager and isinstance(found, list) else found


def delete(world: NumpyWorld, arr: Any, obj: Any, axis: int | None = None) -> Any:
    """Return the array without some rows of an axis. Raises TypeError for anything but a position."""
    if not world.is_tensor(arr):
        raise TypeError(f"'arr' can not support type {type(arr)}")
    if isinstance(obj, slice):
        return world.call("_npi_delete", arr, start=obj.start, stop=obj.stop, step=obj.step or 1, axis=axis)
    if isinstance(obj, (int, np.integer)):
        return world.call("_npi_delete", arr, int_ind=obj, axis=axis)
    if world.is_tensor(obj):
        return world.call("_npi_delete", arr, obj, axis=axis)
    raise TypeError(f"'obj' can not support type {type(obj)}")


def insert(world: NumpyWorld, arr: Any, obj: Any, values: Any, axis: int | None = None) -> Any:
    """Return the array with further rows before positions of an axis. Raises TypeError for anything but a position."""
    inputs: tuple[Any, ...] = (arr,) if isinstance(values, NUMBERS) else (arr, values)
    given: dict[str, Any] = {"val": values} if isinstance(values, NUMBERS) else {}
    if isinstance(obj, slice):
        return world.call(
            "_npi_insert_slice", *inputs, start=obj.start, stop=obj.stop, step=obj.step or 1, axis=axis, **given
        )
    if isinstance(obj, (int, np.integer)):
        return world.call("_npi_insert_scalar", *inputs, int_ind=obj, axis=axis, **given)
    if world.is_tensor(obj):
        return world.call("_npi_insert_tensor", *inputs, obj, axis=axis, **given)
    raise TypeError(f"'obj' can not support type {type(obj)}")


def bincount(world: NumpyWorld, x: Any, weights: Any = None, minlength: int = 0) -> Any:
    """Count how often each whole number occurs, or sum weights by it. Raises ValueError for a negative length."""
    if minlength < 0:
        raise ValueError("Minlength value should greater than 0")
    inputs = (x,) if weights is None else (x, weights)
    return world.call("_npi_bincount", *inputs, minlength=minlength, has_weights=weights is not None)


def histogram(
    world: NumpyWorld,
    a: Any,
    bins: Any = 10,
    range: Any = None,
    normed: Any = None,
    weights: Any = None,
    density: Any = None,
) -> Any:
    """Count elements by bins. Raises NotImplementedError for weights, densities, and bins without a range."""
    if normed or weights is not None or density:
        raise NotImplementedError("weights and densities are not supported")
    if isinstance(bins, int):
        if range is None:
            raise NotImplementedError("automatic range is not available")
        return world.call("_npi_histogram", a, bin_cnt=bins, range=tuple(range))
    return world.call("_npi_histogram", a, bins)


def ediff1d(world: NumpyWorld, ary: Any, to_end: Any = None, to_begin: Any = None) -> Any:
    """Differences of neighbours in the flat array, with elements before and after."""
    arrays = [x for x in (to_begin, to_end) if world.is_tensor(x)]
    return world.call(
        "_npi_ediff1d",
        ary,
        *arrays,
        to_begin_arr_given=world.is_tensor(to_begin),
        to_end_arr_given=world.is_tensor(to_end),
        to_begin_scalar=None if world.is_tensor(to_begin) else to_begin,
        to_end_scalar=None if world.is_tensor(to_end) else to_end,
    )


def resize(world: NumpyWorld, a: Any, new_shape: Any) -> Any:
    """Return the elements in another shape, repeated or cut."""
    shape = (new_shape,) if isinstance(new_shape, (int, np.integer)) else tuple(new_shape)
    return world.call("_hl_resize", a, shape=shape, hint="resize")


def unravel_index(world: NumpyWorld, indices: Any, shape: Any, order: str = "C") -> Any:
    """Return the positions that flat positions are; in a trace as one tensor. Raises NotImplementedError."""
    if order != "C":
        raise NotImplementedError("Do not support column-major (Fortran-style) order at this moment")
    if isinstance(indices, (int, np.integer)):
        return tuple(int(position) for position in np.unravel_index(indices, shape))
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else tuple(shape)
    found = world.call("_hl_unravel_index", indices, shape=sizes, hint="unravel_index")
    return tuple(found[k] for k in range(len(sizes))) if world.eager else found


def may_share_memory(world: NumpyWorld, a: Any, b: Any, max_work: int | None = None) -> Any:
    """Whether two arrays may share memory. Raises NotImplementedError in a trace."""
    if not world.eager:
        raise NotImplementedError("the bundled runtime cannot trace np.may_share_memory")
    return a._platform is b._platform and bool(a._platform.xp.may_share_memory(a._data, b._data))


FUNCTIONS: dict[str, Function] = {
    "bincount": bincount,
    "delete": delete,
    "ediff1d": ediff1d,
    "histogram": histogram,
    "insert": insert,
    "may_share_memory": may_share_memory,
    "resize": resize,
    "shares_memory": may_share_memory,
    "unique": unique,
    "unravel_index": unravel_index,
}
