"""Calls as CuPy takes them: checked against its signatures and done by numpy on what its arrays hold."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np

from tests.runtime.gpu.surface import Parameter, kept

#: Element types of CuPy's arrays: no objects, no texts, no dates.
KINDS = "biufc"
#: Parameters that are one array: CuPy takes no list, and no number of Python, in place of it.
_ARRAYS = {"a", "array", "ar", "arr", "ary", "x", "x1", "x2", "element", "m", "v", "weights", "dst", "sorter"}
#: Functions whose first parameter, so named, may be what is no array yet.
_MAKE = {"array", "asarray", "asanyarray", "ascontiguousarray", "isscalar", "iterable", "ndim", "shape", "copy"}


class DeviceArray:
    """The root of the array class, known here so that calls can look into arrays."""

    _held: np.ndarray[Any, Any]


def signature(parameters: Sequence[Parameter]) -> inspect.Signature:
    """Return a signature whose defaults are left to numpy."""
    return inspect.Signature(
        [
            inspect.Parameter(name, inspect._ParameterKind(kind), default=None if optional else inspect.Parameter.empty)
            for name, kind, optional in parameters
        ]
    )


@cache
def signature_of(group: str, name: str) -> inspect.Signature | None:
    """Return the signature of a function or method of CuPy, None where it does not tell one."""
    parameters = kept()[group][name]
    return None if parameters is None else signature(parameters)


def opened(value: Any, *, uploads: bool = False) -> Any:
    """Return an argument with what the device's arrays in it hold. Raises TypeError for an array of numpy."""
    if isinstance(value, DeviceArray):
        return value._held
    if isinstance(value, np.ndarray) and not uploads:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>")
    if isinstance(value, (list, tuple)) and type(value) in {list, tuple}:
        return type(value)(opened(part, uploads=uploads) for part in value)
    return value


def call(
    name: str, function: Callable[..., Any], known: inspect.Signature | None, args: Sequence[Any], kwargs: Any
) -> Any:
    """Call numpy's function as CuPy's of the same name. Raises TypeError for what that does not take."""
    if known is not None:
        try:
            bound = known.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"cupy.{name}: {error}") from error
        if name not in _MAKE and not name.startswith("random."):
            for parameter, value in bound.arguments.items():
                if name == "where" and parameter != "condition":
                    continue
                if parameter in _ARRAYS | {"condition"} and not isinstance(value, DeviceArray) and value is not None:
                    raise TypeError(f"cupy.{name}: {parameter} is {type(value).__name__}, no array of the device")
    if name == "repeat" and isinstance(kwargs.get("repeats", args[1] if len(args) > 1 else 0), DeviceArray):
        raise ValueError("cupy.ndaray cannot be specified as `repeats` argument.")
    uploads = name in {"array", "asarray", "asanyarray"}
    given = [opened(value, uploads=uploads) for value in args]
    named = {key: opened(value, uploads=uploads) for key, value in kwargs.items()}
    named.pop("blocking", None)
    with np.errstate(all="ignore"):
        return function(*given, **named)


@cache
def ufunc_loop(name: str, given: tuple[Any, ...]) -> tuple[str, ...]:
    """Return the dtypes of the results of CuPy's loop for these types of inputs, None for a number of Python.

    `given` has dtypes and the types `int`, `float` and `complex`. Raises TypeError where CuPy has no loop.
    """
    facts = kept()["ufuncs"][name]
    wanted = [np.dtype(kind) if isinstance(kind, np.dtype) else kind for kind in given]
    weak = {int: "iufc", float: "fc", complex: "c", bool: "biufc"}
    strongest = [d for d in wanted if isinstance(d, np.dtype)]
    common = np.result_type(*strongest) if strongest else None
    settled = []
    for kind in wanted:
        if isinstance(kind, np.dtype):
            settled.append(kind)
        elif common is not None and common.kind in weak[kind]:
            settled.append(common)
        else:
            settled.append(np.dtype(kind) if common is None or kind is not float else np.result_type(common, 1.0))
    for loop in facts["types"]:
        ins, _, outs = loop.partition("->")
        if all(np.can_cast(have, np.dtype(want), "safe") for have, want in zip(settled, ins, strict=True)):
            return tuple(np.dtype(out).name for out in outs)
    raise TypeError(f"Wrong type ({', '.join(map(str, settled))}) of arguments for cupy_{name}")
