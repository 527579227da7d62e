"""numpy's own functions on `mx.np.ndarray`: those that numpy mode has run on it, others on a copy of its elements."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime import numpy as mxnp
from hybridlint.runtime.numpy.multiarray import as_array, ndarray


def ufunc(function: Any, method: str, inputs: Any, kwargs: Any) -> Any:
    """Call the function of numpy mode with the name of one of numpy's ufuncs.

    Raises TypeError if arrays of numpy are among the inputs too, ValueError for methods of a ufunc such as ``reduce``.
    """
    if method != "__call__":
        raise ValueError(f"numpy.{function.__name__}.{method} does not take arrays of numpy mode")
    if any(isinstance(x, np.ndarray) for x in inputs):
        raise TypeError(f"type {ndarray} not supported")
    found = getattr(mxnp, function.__name__, None)
    if found is None:
        raise TypeError(f"no implementation of numpy.{function.__name__} for {ndarray}")
    out = kwargs.pop("out", None)
    if out is not None:
        kwargs["out"] = out[0] if isinstance(out, tuple) else out
    return found(*inputs, **kwargs)


def function(called: Any, args: Any, kwargs: Any) -> Any:
    """Call the function of that name, or numpy's own on copies of the elements."""
    path = [p for p in called.__module__.split(".")[1:] if p == "linalg"]
    scope: Any = mxnp
    for part in path:
        scope = getattr(scope, part)
    found = getattr(scope, called.__name__, None) or results_wrapped(called)
    return found(*args, **kwargs)


def results_wrapped(called: Any) -> Any:
    """Return numpy's function on copies of the elements, whose results are arrays of numpy mode."""

    def call(*args: Any, **kwargs: Any) -> Any:
        return wrapped(called(*map(plain, args), **{k: plain(v) for k, v in kwargs.items()}))

    call.__name__ = called.__name__
    call.__doc__ = f"Return numpy's `{called.__name__}` of the elements; no gradient flows through it."
    return call


def plain(value: Any) -> Any:
    """Return a value with numpy arrays in the place of those of numpy mode."""
    if isinstance(value, ndarray):
        return value.asnumpy()
    if isinstance(value, (list, tuple)):
        return type(value)(plain(v) for v in value)
    return value


def wrapped(value: Any) -> Any:
    """Return a value with arrays of numpy mode in the place of numpy's; numpy's numbers stay."""
    if isinstance(value, (list, tuple)):
        found = [wrapped(v) for v in value]
        return found if isinstance(value, list) else tuple(found)
    return as_array(value) if isinstance(value, np.ndarray) else value
