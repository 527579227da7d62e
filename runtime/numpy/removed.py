"""Functions of numpy that numpy mode hands on and numpy 2 no longer has, as numpy 1.23 computed them."""

from __future__ import annotations

from typing import Any, NoReturn

import numpy as np


def in1d(ar1: Any, ar2: Any, assume_unique: bool = False, invert: bool = False) -> Any:
    """Return which elements of one array, made flat, are in another."""
    return np.isin(np.asarray(ar1).ravel(), ar2, assume_unique=assume_unique, invert=invert)


def alltrue(*args: Any, **kwargs: Any) -> Any:
    """Return whether all elements are true, as `numpy.all`."""
    return np.all(*args, **kwargs)


def trapz(y: Any, x: Any = None, dx: float = 1.0, axis: int = -1) -> Any:
    """Return the integral of samples by the trapezoidal rule."""
    return np.trapezoid(y, x, dx, axis)


def msort(a: Any) -> Any:
    """Return a copy that is sorted along its first axis."""
    return np.sort(a, axis=0)


def _financial(name: str) -> Any:
    def function(*args: Any, **kwargs: Any) -> NoReturn:
        raise RuntimeError(
            f"In accordance with NEP 32, the function {name} was removed from NumPy version 1.20.  A replacement for "
            "this function is available in the numpy_financial library: https://pypi.org/project/numpy-financial"
        )

    function.__name__ = function.__qualname__ = name
    return function


mirr, npv, ppmt, pv, rate = map(_financial, ("mirr", "npv", "ppmt", "pv", "rate"))
