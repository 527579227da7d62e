"""``mx.np.linalg``."""

from __future__ import annotations

from typing import Any

from numpy import linalg as _linalg

from hybridlint.runtime.numpy_functions.eager import WORLD as _WORLD
from hybridlint.runtime.numpy_functions.functions import LINALG as _TABLE
from hybridlint.runtime.numpy_functions.world import fill as _fill

_SUBMODULES = ()

#: Functions that numpy computes on copies of the elements; no gradient flows through them.
_ON_ELEMENTS = {
    "cond",
    "matrix_power",
    "matrix_rank",
    "multi_dot",
    "qr",
}


def lstsq(a: Any, b: Any, rcond: Any = "warn") -> Any:
    """Return the least squares solution, the residuals, the rank and the singular values; no gradient flows."""
    from hybridlint.runtime.numpy import dispatch

    # The cut-off of old versions of numpy, which MXNet takes for its default.
    return dispatch.results_wrapped(_linalg.lstsq)(a, b, rcond=-1 if isinstance(rcond, str) else rcond)


_bound, __dir__ = _fill(globals(), _TABLE, _WORLD)


def __getattr__(name: str) -> Any:
    if name in _ON_ELEMENTS:
        from hybridlint.runtime.numpy import dispatch

        globals()[name] = found = dispatch.results_wrapped(getattr(_linalg, name))
        return found
    return _bound(name)
