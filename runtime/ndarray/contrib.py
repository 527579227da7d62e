"""Operators of ``mx.nd.contrib``, found in the registry."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hybridlint.runtime.control_flow.eager import cond, foreach, while_loop  # noqa: F401  (part of the namespace)
from hybridlint.runtime.namespaces import fill
from hybridlint.runtime.ndarray.functions import make_function
from hybridlint.runtime.ndarray.ndarray import NDArray


def _test(name: str, holds: Callable[[Any], Any]) -> Callable[[NDArray], NDArray]:
    def function(data: NDArray) -> NDArray:
        return NDArray._wrap(holds(data._data).astype(data._data.dtype))

    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"Return 1 where {name} holds, else 0; there is no such operator in ``mx.sym.contrib``."
    return function


isnan = _test("isnan", np.isnan)
isinf = _test("isinf", np.isinf)
isfinite = _test("isfinite", np.isfinite)

__getattr__, __dir__ = fill("contrib", make_function, globals())
