"""Products of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.numpy_functions.world import NUMBERS, Function, NumpyWorld


def dot(world: NumpyWorld, a: Any, b: Any, out: Any = None) -> Any:
    """Product over the last axis of one and the last but one of the other."""
    return world.call("_np_dot", a, b, out=out)


def matmul(world: NumpyWorld, a: Any, b: Any, out: Any = None, **kwargs: Any) -> Any:
    """Matrix product, with broadcasting."""
    return world.call("_npi_matmul", a, b, out=out)


def tensordot(world: NumpyWorld, a: Any, b: Any, axes: Any = 2) -> Any:
    """Product summed over axes: a number of them, or the pairs. Raises ValueError for other axes."""
    if isinstance(axes, int):
        return world.call("_npi_tensordot_int_axes", a, b, axes=axes)
    if len(axes) != 2:
        raise ValueError("Axes must consist of two arrays.")
    left, right = ((axis,) if isinstance(axis, int) else tuple(axis) for axis in axes)
    if len(left) != len(right):
        raise ValueError("Axes length mismatch")
    return world.call("_npi_tensordot", a, b, a_axes_summed=left, b_axes_summed=right)


def inner(world: NumpyWorld, a: Any, b: Any) -> Any:
    """Product over the last axis of both."""
    return tensordot(world, a, b, ([-1], [-1]))


def outer(world: NumpyWorld, a: Any, b: Any) -> Any:
    """Product of every element of one with every element of the other."""
    return tensordot(world, _flat(world, a), _flat(world, b), 0)


def vdot(world: NumpyWorld, a: Any, b: Any) -> Any:
    """Product of two arrays as vectors."""
    return tensordot(world, _flat(world, a), _flat(world, b), 1)


def _flat(world: NumpyWorld, a: Any) -> Any:
    if isinstance(a, NUMBERS):
        return np.reshape(a, -1)
    return world.call("_np_reshape", a, newshape=(-1,), order="C")


def einsum(world: NumpyWorld, *operands: Any, **kwargs: Any) -> Any:
    """Sum products by labels of dimensions. Raises ValueError if the labels are no text."""
    subscripts, *arrays = operands
    if not isinstance(subscripts, str):
        raise ValueError("einsum takes the subscripts as text")
    return world.call(
        "_npi_einsum", *arrays, subscripts=subscripts, optimize=int(bool(kwargs.get("optimize"))), out=kwargs.get("out")
    )


def polyval(world: NumpyWorld, p: Any, x: Any) -> Any:
    """Value of a polynomial."""
    return world.call("_npi_polyval", p, x)


FUNCTIONS: dict[str, Function] = {
    name: value
    for name, value in globals().items()
    if callable(value) and getattr(value, "__module__", None) == __name__ and not name.startswith("_")
}
