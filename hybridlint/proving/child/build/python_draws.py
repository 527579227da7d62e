"""Python's and numpy's random numbers, drawn by MXNet: a fix may have replaced one by the other."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np


@contextmanager
def python_draws_by(mx: Any) -> Iterator[None]:
    """Let the uniform and normal numbers of Python and numpy be those that MXNet's functions draw next.

    Only functions that are read from their modules draw so, and no generator of its own.
    """

    def drawn(distribution: str, size: Any, *settings: float) -> Any:
        array = getattr(mx.nd.random, distribution)(*settings, shape=(1,) if size is None else size).asnumpy()
        return float(array[0]) if size is None else array.astype(np.float64)

    def of_sizes(distribution: str, low: float, high: float) -> Callable[..., Any]:
        return lambda *sizes: drawn(distribution, sizes or None, low, high)

    def uniform(low: float = 0.0, high: float = 1.0, size: Any = None) -> Any:
        return drawn("uniform", size, low, high)

    def normal(loc: float = 0.0, scale: float = 1.0, size: Any = None) -> Any:
        return drawn("normal", size, loc, scale)

    def gauss(mu: float = 0.0, sigma: float = 1.0) -> Any:
        return drawn("normal", None, mu, sigma)

    def unit(size: Any = None) -> Any:
        return drawn("uniform", size, 0.0, 1.0)

    replaced: list[tuple[Any, dict[str, Callable[..., Any]]]] = [
        (random, {"random": unit, "uniform": uniform, "gauss": gauss, "normalvariate": gauss}),
        (np.random, {"uniform": uniform, "normal": normal, "random": unit, "random_sample": unit}),
        (np.random, {"rand": of_sizes("uniform", 0.0, 1.0), "randn": of_sizes("normal", 0.0, 1.0)}),
    ]
    with ExitStack() as stack:
        for module, functions in replaced:
            for name, function in functions.items():
                stack.enter_context(mock.patch.object(module, name, function))
        yield
