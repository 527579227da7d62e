"""How far two arrays may differ: tolerances by dtype, the larger of the two arrays'."""

from __future__ import annotations

from typing import Any

import numpy as np

from hybridlint.runtime.context import Context, current_context

_EXACT = ("bool", "int8", "uint8", "int32", "uint32", "int64", "uint64")


def _by_dtype(half: float, single: float, double: float) -> dict[Any, float]:
    table: dict[Any, float] = {np.dtype(name): 0 for name in _EXACT}
    return {np.dtype("float16"): half, np.dtype("float32"): single, np.dtype("float64"): double, **table}


def default_context() -> Context:
    """Return the context on which tests run."""
    return current_context()


def default_dtype() -> Any:
    """Return the dtype of test data: float32."""
    return np.float32


def default_rtols() -> dict[Any, float]:
    """Return relative tolerances by dtype."""
    return _by_dtype(1e-2, 1e-4, 1e-5)


def default_atols() -> dict[Any, float]:
    """Return absolute tolerances by dtype."""
    return _by_dtype(1e-1, 1e-3, 1e-20)


def default_numeric_eps() -> dict[Any, float]:
    """Return steps of finite differences by dtype; they are powers of two."""
    return {np.dtype("float16"): 2.0**-6, np.dtype("float32"): 2.0**-9, np.dtype("float64"): 2.0**-14}


def get_rtol(rtol: float | None = None, dtype: Any = np.float64) -> float:
    """Return `rtol`, or the default relative tolerance of a dtype."""
    return default_rtols()[np.dtype(dtype)] if rtol is None else rtol


def get_atol(atol: float | None = None, dtype: Any = np.float64) -> float:
    """Return `atol`, or the default absolute tolerance of a dtype."""
    return default_atols()[np.dtype(dtype)] if atol is None else atol


def get_etol(etol: float | None = None) -> float:
    """Return the share of elements that may differ; none by default."""
    return 0 if etol is None else etol


def effective_dtype(dat: Any) -> np.dtype[Any]:
    """Return the dtype that determines the data's precision; float64 for anything but an array."""
    return np.dtype(getattr(dat, "dtype", np.float64))


def get_tolerance(dat: Any, tol: Any, default_tol: dict[Any, float]) -> float:
    """Return a tolerance: a number, one from a table by dtype, or the default of the data's dtype."""
    if isinstance(tol, dict):
        return float(tol[effective_dtype(dat)])
    return default_tol[effective_dtype(dat)] if tol is None else float(tol)


def get_tols(x: Any, y: Any, rtol: Any, atol: Any) -> tuple[float, float]:
    """Return relative and absolute tolerance for comparing two arrays: the wider one of each."""
    relative = max(get_tolerance(x, rtol, default_rtols()), get_tolerance(y, rtol, default_rtols()))
    absolute = max(get_tolerance(x, atol, default_atols()), get_tolerance(y, atol, default_atols()))
    return relative, absolute
