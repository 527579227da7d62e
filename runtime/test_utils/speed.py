"""How long a symbol takes."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

from hybridlint.runtime.context import Context
from hybridlint.runtime.ndarray import waitall
from hybridlint.runtime.symbol import Symbol
from hybridlint.runtime.test_utils.tolerance import default_context


def check_speed(
    sym: Symbol,
    location: Mapping[str, Any] | None = None,
    ctx: Context | None = None,
    N: int = 20,
    grad_req: Any = None,
    typ: str = "whole",
    **kwargs: Any,
) -> float:
    """Return the mean seconds of `N` passes of a symbol: forward and backward, or one alone if `typ` is "forward".

    Arguments are those of `location`, else random ones of the shapes in `kwargs`. Raises ValueError for another `typ`.
    """
    if typ not in {"whole", "forward"}:
        raise ValueError('typ can only be "whole" or "forward".')
    shapes = kwargs if location is None else {name: value.shape for name, value in location.items()}
    executor = sym.simple_bind(ctx=ctx or default_context(), grad_req=grad_req or "write", **shapes)
    if location is None:
        location = {name: np.random.normal(size=array.shape) for name, array in executor.arg_dict.items()}
    for name, value in location.items():
        executor.arg_dict[name][:] = value.astype(executor.arg_dict[name].dtype)

    def once() -> None:
        executor.forward(is_train=typ == "whole")
        if typ == "whole":
            executor.backward(executor.outputs)

    once()
    waitall()
    start = time.perf_counter()
    for _ in range(N):
        once()
    waitall()
    return (time.perf_counter() - start) / N
