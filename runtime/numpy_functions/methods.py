"""Methods that arrays and symbols of numpy mode have in common; the world comes first, then self."""

from __future__ import annotations

from typing import Any

from hybridlint.runtime.facts.fluent import fluent
from hybridlint.runtime.numpy_functions import elementwise, products, reduction, shape
from hybridlint.runtime.numpy_functions.world import Function, NumpyWorld


def _over_axes(function: Function) -> Function:
    """Put `keepdims` behind `out`, where methods have it."""

    def method(world: NumpyWorld, self: Any, axis: Any = None, out: Any = None, keepdims: bool = False) -> Any:
        return function(world, self, axis=axis, out=out, keepdims=keepdims)

    return method


def _summed(function: Function) -> Function:
    def method(
        world: NumpyWorld, self: Any, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False
    ) -> Any:
        return function(world, self, axis=axis, dtype=dtype, out=out, keepdims=keepdims)

    return method


def reshape(world: NumpyWorld, self: Any, *args: Any, **kwargs: Any) -> Any:
    """Give the elements another shape, as one tuple or several integers, in which -1 is inferred.

    Raises TypeError for another keyword than ``order``.
    """
    order = kwargs.pop("order", "C")
    if kwargs:
        raise TypeError(f"{next(iter(kwargs))!r} is an invalid keyword argument for this function")
    if order != "C":
        raise NotImplementedError(f"only supports C-order, while received {order}")
    newshape = args[0] if len(args) == 1 and isinstance(args[0], (tuple, list)) else args
    return world.call("_np_reshape", self, newshape=newshape, order=order)


def flatten(world: NumpyWorld, self: Any, order: str = "C") -> Any:
    """Return all elements in a row."""
    return reshape(world, self, -1, order=order)


def transpose(world: NumpyWorld, self: Any, *axes: Any) -> Any:
    """Put the axes into another order, as one tuple or several integers, or reverse them."""
    if len(axes) == 1 and (axes[0] is None or isinstance(axes[0], (tuple, list))):
        return shape.transpose(world, self, axes[0])
    return shape.transpose(world, self, axes or None)


def clip(world: NumpyWorld, self: Any, min: Any = None, max: Any = None, out: Any = None) -> Any:
    """Bound the elements."""
    return elementwise.clip(world, self, min, max, out)


def sort(world: NumpyWorld, self: Any, axis: Any = -1, kind: Any = None, order: Any = None) -> Any:
    """Raise TypeError, as the method does in MXNet 1.9; the function ``np.sort`` works."""
    raise TypeError("ndarray.sort is not available; use np.sort")


def astype(
    world: NumpyWorld,
    self: Any,
    dtype: Any,
    order: str = "K",
    casting: str = "unsafe",
    subok: bool = True,
    copy: bool = True,
) -> Any:
    """Return the elements in another dtype. Raises ValueError for options that are not supported."""
    if order not in {"K", "C", None}:
        raise ValueError("order must be either 'K' or 'C'")
    if casting != "unsafe":
        raise ValueError("casting must be equal to 'unsafe'")
    if not subok:
        raise ValueError("subok must be equal to True")
    return world.call("Cast", self, dtype=dtype or "float32", hint="cast")


METHODS: dict[str, Function] = {
    "argmax": reduction.argmax,
    "argmin": reduction.argmin,
    "argsort": shape.argsort,
    "astype": astype,
    "clip": clip,
    "cumsum": reduction.cumsum,
    "dot": products.dot,
    "flatten": flatten,
    "max": _over_axes(reduction.max),
    "mean": _summed(reduction.mean),
    "min": _over_axes(reduction.min),
    "prod": _summed(reduction.prod),
    "repeat": shape.repeat,
    "reshape": reshape,
    "round": elementwise.around,
    "sort": sort,
    "squeeze": shape.squeeze,
    "std": reduction.std,
    "sum": _summed(reduction.sum),
    "swapaxes": shape.swapaxes,
    "take": shape.take,
    "transpose": transpose,
    "var": reduction.var,
}

#: Methods of the legacy interface that stand there and say that they do not exist in numpy mode.
ABSENT = sorted({*fluent(), "split_v2"} - {*METHODS, "broadcast_to"})

#: Special method -> function of two values.
OPERATORS = {
    "add": "add",
    "sub": "subtract",
    "mul": "multiply",
    "truediv": "true_divide",
    "mod": "mod",
    "pow": "power",
    "eq": "equal",
    "ne": "not_equal",
    "lt": "less",
    "le": "less_equal",
    "gt": "greater",
    "ge": "greater_equal",
}
REFLECTED = ("add", "sub", "mul", "truediv", "mod", "pow")


def install(cls: type, world: NumpyWorld, name: str) -> None:
    """Give a class the common methods, operators, and the absent methods under the class's public `name`."""
    for method, function in METHODS.items():
        if method not in vars(cls):
            setattr(cls, method, _method(function, world, method))
    for operator, function_name in OPERATORS.items():
        setattr(cls, f"__{operator}__", _operator(world, function_name))
        if operator in REFLECTED:
            setattr(cls, f"__r{operator}__", _operator(world, function_name, swapped=True))
    for method in ABSENT:
        setattr(cls, method, _absent(method, name))


def _method(function: Function, world: NumpyWorld, name: str) -> Function:
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        return function(world, self, *args, **kwargs)

    method.__name__ = name
    method.__doc__ = function.__doc__
    return method


def _operator(world: NumpyWorld, name: str, *, swapped: bool = False) -> Function:
    def method(self: Any, other: Any) -> Any:
        return elementwise.binary(world, name, other, self) if swapped else elementwise.binary(world, name, self, other)

    return method


def _absent(method: str, name: str) -> Function:
    def fail(self: Any, *args: Any, **kwargs: Any) -> Any:
        raise AttributeError(f"{name} object has no attribute {method}")

    fail.__name__ = method
    return fail
