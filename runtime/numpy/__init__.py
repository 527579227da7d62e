"""``mx.np``: numpy's interface on arrays that are differentiable and hybridizable."""

from __future__ import annotations

from typing import Any

import numpy as _numpy
from numpy import bool_, finfo, float16, float32, float64, int8, int32, int64, set_printoptions, uint8

from hybridlint.runtime.context import Context, current_context
from hybridlint.runtime.numpy.multiarray import array, genfromtxt, ndarray
from hybridlint.runtime.numpy_functions.eager import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.functions import FUNCTIONS as _FUNCTIONS
from hybridlint.runtime.numpy_functions.world import fill as _fill

bool = bool_
pi, e, inf, nan = _numpy.pi, _numpy.e, _numpy.inf, _numpy.nan
PINF, NINF, NAN, NaN, PZERO, NZERO = inf, -inf, nan, nan, 0.0, -0.0
newaxis = None

_SUBMODULES = ("linalg", "random")

#: Functions that numpy computes on copies of the elements; no gradient flows through them.
_ON_ELEMENTS = {
    "allclose",
    "alltrue",
    "apply_along_axis",
    "apply_over_axes",
    "argpartition",
    "argwhere",
    "array_equal",
    "array_equiv",
    "choose",
    "compress",
    "corrcoef",
    "correlate",
    "count_nonzero",
    "cov",
    "digitize",
    "divmod",
    "extract",
    "flatnonzero",
    "float_power",
    "frexp",
    "heaviside",
    "histogram2d",
    "histogram_bin_edges",
    "histogramdd",
    "i0",
    "in1d",
    "interp",
    "intersect1d",
    "isclose",
    "isin",
    "ix_",
    "lexsort",
    "min_scalar_type",
    "mirr",
    "modf",
    "msort",
    "nanargmax",
    "nanargmin",
    "nancumprod",
    "nancumsum",
    "nanmax",
    "nanmedian",
    "nanmin",
    "nanpercentile",
    "nanprod",
    "nanquantile",
    "ndim",
    "npv",
    "packbits",
    "partition",
    "piecewise",
    "poly",
    "polyadd",
    "polydiv",
    "polyfit",
    "polyint",
    "polymul",
    "polysub",
    "positive",
    "ppmt",
    "promote_types",
    "ptp",
    "pv",
    "rate",
    "real",
    "result_type",
    "rollaxis",
    "roots",
    "searchsorted",
    "select",
    "setdiff1d",
    "setxor1d",
    "shape",
    "signbit",
    "size",
    "spacing",
    "take_along_axis",
    "trapz",
    "tril_indices_from",
    "trim_zeros",
    "triu_indices_from",
    "union1d",
    "unpackbits",
    "unwrap",
    "vander",
}


def empty(shape: Any, dtype: Any = float32, order: str = "C", ctx: Context | None = None) -> ndarray:
    """Return an array of unspecified values; zeros here, so that runs repeat.

    Raises NotImplementedError unless `order` is C.
    """
    if order != "C":
        raise NotImplementedError(f"`empty` only supports order equal to `C`, while received {order}")
    return _WORLD.call("_npi_zeros", shape=shape, dtype=dtype, ctx=ctx or current_context())  # type: ignore[no-any-return]


def meshgrid(*xi: ndarray, **kwargs: Any) -> list[ndarray]:
    """Return coordinate arrays of a grid."""
    return list(_on_elements("meshgrid")(*xi, **kwargs))


def broadcast_arrays(*args: ndarray) -> list[Any]:
    """Return arrays repeated to one shape."""
    shape = _numpy.broadcast_shapes(*(a.shape for a in args))
    return [a.broadcast_to(shape) for a in args]


def _on_elements(name: str) -> Any:
    from hybridlint.runtime.numpy import dispatch, removed

    return dispatch.results_wrapped(getattr(removed, name, None) or getattr(_numpy, name))


_bound, __dir__ = _fill(globals(), _FUNCTIONS, _WORLD)


def __getattr__(name: str) -> Any:
    if name in _ON_ELEMENTS:
        globals()[name] = found = _on_elements(name)
        return found
    return _bound(name)
