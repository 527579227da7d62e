"""The table of calls that speed.py times, and how calls are added. All files here stay within Python 3.8."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    #: What is timed. The worker waits for the results of all its calls.
    Call = Callable[[], Any]

#: Functions that prepare the inputs of a call, by the name of the case: `GROUP/NAME`.
CASES: dict[str, Callable[[Any], Call]] = {}


def case(name: str) -> Callable[[Callable[[Any], Call]], Callable[[Any], Call]]:
    """Add a function to the table."""

    def add(prepare: Callable[[Any], Call]) -> Callable[[Any], Call]:
        CASES[name] = prepare
        return prepare

    return add


def normal(mx: Any, *shape: int, seed: int = 0) -> Any:
    """Return normal numbers."""
    return mx.nd.array(np.random.RandomState(seed).normal(size=shape).astype(np.float32))


def integers(mx: Any, below: int, *shape: int) -> Any:
    """Return whole numbers from zero."""
    return mx.nd.array(np.random.RandomState(0).randint(0, below, size=shape).astype(np.float32))


def pixels(mx: Any, *shape: int) -> Any:
    """Return bytes, as pictures have them."""
    return mx.nd.array(np.random.RandomState(0).randint(0, 256, size=shape), dtype=np.uint8)


def boxes(mx: Any, count: int, size: float) -> Any:
    """Return the corners of random boxes."""
    corners = np.random.RandomState(0).uniform(0, size, size=(count, 2, 2))
    return mx.nd.array(np.sort(corners, axis=1).reshape(count, 4).astype(np.float32))


def on(name: str, call: Callable[..., Any], *shapes: tuple[int, ...]) -> None:
    """Add a case that applies a function to normal numbers: of the library first."""

    def prepare(mx: Any) -> Call:
        arrays = [normal(mx, *shape, seed=seed) for seed, shape in enumerate(shapes)]
        return lambda: call(mx.nd, *arrays)

    CASES[name] = prepare


def mlp(mx: Any, depth: int = 3) -> Any:
    """Return a network of small dense layers."""
    net = mx.gluon.nn.HybridSequential()
    for _ in range(depth):
        net.add(mx.gluon.nn.Dense(16, activation="relu"))
    net.add(mx.gluon.nn.Dense(4))
    return net
