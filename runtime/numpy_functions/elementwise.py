"""Element-wise functions: of a tensor or a number, and of two of either."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridlint.runtime.facts import registry
from hybridlint.runtime.facts.properties import keeps_shape, own_dtype
from hybridlint.runtime.numpy_functions.world import NUMBERS, Function, NumpyWorld

#: Operators of one tensor that map its elements.
_OF_ONE = [
    operator
    for operator in registry.operators()
    if operator.name.startswith("_npi_") and len(operator.inputs) == 1 and not operator.params and keeps_shape(operator)
]
#: Function -> operator of a tensor.
_UNARY = {name: operator for operator in _OF_ONE for name in operator.facts.numpy_names}

#: Function -> operators of two tensors, of a tensor and a number, and of a number and a tensor.
_BINARY = {
    "add": ("_npi_add", "_npi_add_scalar", "_npi_add_scalar"),
    "subtract": ("_npi_subtract", "_npi_subtract_scalar", "_npi_rsubtract_scalar"),
    "multiply": ("_npi_multiply", "_npi_multiply_scalar", "_npi_multiply_scalar"),
    "divide": ("_npi_true_divide", "_npi_true_divide_scalar", "_npi_rtrue_divide_scalar"),
    "true_divide": ("_npi_true_divide", "_npi_true_divide_scalar", "_npi_rtrue_divide_scalar"),
    "mod": ("_npi_mod", "_npi_mod_scalar", "_npi_rmod_scalar"),
    "remainder": ("_npi_mod", "_npi_mod_scalar", "_npi_rmod_scalar"),
    "power": ("_npi_power", "_npi_power_scalar", "_npi_rpower_scalar"),
    "maximum": ("broadcast_maximum", "_maximum_scalar", "_maximum_scalar"),
    "minimum": ("broadcast_minimum", "_minimum_scalar", "_minimum_scalar"),
    "hypot": ("_npi_hypot", "_npi_hypot_scalar", "_npi_hypot_scalar"),
    "arctan2": ("_npi_arctan2", "_npi_arctan2_scalar", "_npi_rarctan2_scalar"),
    "copysign": ("_npi_copysign", "_npi_copysign_scalar", "_npi_rcopysign_scalar"),
    "ldexp": ("_npi_ldexp", "_npi_ldexp_scalar", "_npi_rldexp_scalar"),
    "lcm": ("_npi_lcm", "_npi_lcm_scalar", "_npi_lcm_scalar"),
    "bitwise_and": ("_npi_bitwise_and", "_npi_bitwise_and_scalar", "_npi_bitwise_and_scalar"),
    "bitwise_or": ("_npi_bitwise_or", "_npi_bitwise_or_scalar", "_npi_bitwise_or_scalar"),
    "bitwise_xor": ("_npi_bitwise_xor", "_npi_bitwise_xor_scalar", "_npi_bitwise_xor_scalar"),
    "equal": ("_npi_equal", "_npi_equal_scalar", "_npi_equal_scalar"),
    "not_equal": ("_npi_not_equal", "_npi_not_equal_scalar", "_npi_not_equal_scalar"),
    "greater": ("_npi_greater", "_npi_greater_scalar", "_npi_less_scalar"),
    "greater_equal": ("_npi_greater_equal", "_npi_greater_equal_scalar", "_npi_less_equal_scalar"),
    "less": ("_npi_less", "_npi_less_scalar", "_npi_greater_scalar"),
    "less_equal": ("_npi_less_equal", "_npi_less_equal_scalar", "_npi_greater_equal_scalar"),
}


def is_dtype(value: Any) -> bool:
    """Return whether numpy takes a value for a dtype."""
    try:
        np.dtype(value)
    except TypeError:
        return False
    return True


def unary(world: NumpyWorld, name: str, x: Any, out: Any = None) -> Any:
    """Call a function of one value. Raises TypeError for anything but a tensor or a number."""
    if world.is_tensor(x):
        return world.call(_UNARY[name].name, x, out=out, hint="abs" if name in {"abs", "absolute", "fabs"} else None)
    if isinstance(x, NUMBERS):
        return getattr(np, name)(x)
    raise TypeError(f"type {type(x)} not supported")


def binary(world: NumpyWorld, name: str, x1: Any, x2: Any, out: Any = None) -> Any:
    """Call a function of two values. Raises TypeError for anything but a tensor or a number."""
    both, scalar, reflected = _BINARY[name]
    if world.is_tensor(x1):
        if world.is_tensor(x2):
            return world.call(both, x1, x2, out=out)
        if isinstance(x2, NUMBERS):
            return world.with_number(scalar, x1, x2, out)
        raise TypeError(f"type {type(x2)} not supported")
    if world.is_tensor(x2):
        if isinstance(x1, NUMBERS):
            return world.with_number(reflected, x2, x1, out, reflected=True)
        raise TypeError(f"type {type(x1)} not supported")
    if isinstance(x1, NUMBERS) and isinstance(x2, NUMBERS):
        return getattr(np, name)(x1, x2)
    raise TypeError(f"types {type(x1)} and {type(x2)} not supported")


#: Options that numpy's functions have, with the values that MXNet takes.
_OPTIONS = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True}
#: Values of an option that numpy understands. Others are errors of type, not missing features.
_UNDERSTOOD: dict[str, Callable[[Any], bool]] = {
    "casting": lambda value: value in {"no", "equiv", "safe", "same_kind", "unsafe"},
    "order": lambda value: isinstance(value, str),
    "dtype": is_dtype,
}
_WITHOUT_OPTIONS = {"equal", "not_equal", "greater", "greater_equal", "less", "less_equal", "true_divide"}
#: Functions that write booleans, and nothing else.
_TESTS = {name for name, operator in _UNARY.items() if own_dtype(operator) == "bool"}


def _require_defaults(name: str, options: dict[str, Any]) -> None:
    """Raise TypeError for an option or value that numpy has not, NotImplementedError for another than its default."""
    for key, value in options.items():
        if name in _WITHOUT_OPTIONS:
            raise TypeError(f"{name}() got an unexpected keyword argument {key!r}")
        if key not in _OPTIONS:
            raise TypeError(f"{key} is an invalid keyword to function '{name}'")
        default = _OPTIONS[key]
        if key in _UNDERSTOOD and not _UNDERSTOOD[key](value):
            raise TypeError(f"{key}={value} not understood for operator {name}")
        if not isinstance(value, type(default)) or value != default:
            raise NotImplementedError(f"{key}={value} is not implemented yet for operator {name}")


def _one(name: str) -> Function:
    def function(world: NumpyWorld, x: Any, out: Any = None, **kwargs: Any) -> Any:
        _require_defaults(name, kwargs)
        if name in _TESTS and world.is_tensor(out) and out.dtype != np.bool_:
            raise TypeError(f"{name} writes booleans, and out is of dtype {np.dtype(out.dtype)}")
        return unary(world, name, x, out)

    function.__doc__ = f"Return `{name}` of a tensor or a number, element by element."
    return function


def _two(name: str) -> Function:
    def function(world: NumpyWorld, x1: Any, x2: Any, out: Any = None, **kwargs: Any) -> Any:
        _require_defaults(name, kwargs)
        return binary(world, name, x1, x2, out)

    function.__doc__ = f"Return `{name}` of two tensors or numbers, element by element, with broadcasting."
    return function


def around(world: NumpyWorld, x: Any, decimals: int = 0, out: Any = None, **kwargs: Any) -> Any:
    """Round to a number of decimals."""
    if isinstance(x, NUMBERS):
        return np.around(x, decimals)
    return world.call("_npi_around", x, decimals=decimals, out=out)


def clip(world: NumpyWorld, a: Any, a_min: Any, a_max: Any, out: Any = None) -> Any:
    """Bound the elements; None is no bound. Raises ValueError if there is none."""
    if a_min is None and a_max is None:
        raise ValueError("array_clip: must set either max or min")
    if isinstance(a, NUMBERS):
        return np.clip(a, a_min, a_max)
    low = float("-inf") if a_min is None else a_min
    high = float("inf") if a_max is None else a_max
    return world.call("clip", a, a_min=low, a_max=high, out=out)


def nan_to_num(
    world: NumpyWorld,
    x: Any,
    copy: bool = True,
    nan: float = 0.0,
    posinf: float | None = None,
    neginf: float | None = None,
    **kwargs: Any,
) -> Any:
    """Replace infinite numbers and nan; without `copy` in the array itself."""
    if isinstance(x, NUMBERS):
        return np.nan_to_num(x, copy, nan, posinf, neginf)
    target = x if world.eager and not copy else None
    return world.call("_npi_nan_to_num", x, copy=copy, nan=nan, posinf=posinf, neginf=neginf, out=target)


FUNCTIONS: dict[str, Function] = {
    **{name: _one(name) for name in _UNARY},
    **{name: _two(name) for name in _BINARY},
    "around": around,
    "round": around,
    "round_": around,
    "clip": clip,
    "nan_to_num": nan_to_num,
}
