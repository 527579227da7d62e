"""Single operators on tiny arrays, for eager.py. Both interpreters run this file, so it stays within Python 3.8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

#: Calls that are timed as one: what is measured is the overhead of a call, on arrays of six elements.
BATCH = 200

EXPRESSIONS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "x+y": lambda nd, x, y: x + y,
    "x*2": lambda nd, x, y: x * 2,
    "exp": lambda nd, x, y: nd.exp(x),
    "x.sum()": lambda nd, x, y: x.sum(axis=1),
    "x[0]": lambda nd, x, y: x[0],
    "reshape": lambda nd, x, y: x.reshape((3, 2)),
    "concat": lambda nd, x, y: nd.concat(x, y, dim=1),
    "FullyConnected": lambda nd, x, y: nd.FullyConnected(x, y, num_hidden=2, no_bias=True),
}


def calls(mx: Any) -> dict[str, Callable[[], None]]:
    """Return functions that evaluate one expression `BATCH` times, by name."""
    x, y = mx.nd.ones((2, 3)), mx.nd.ones((2, 3))

    def repeated(expression: Callable[[Any, Any, Any], Any]) -> Callable[[], None]:
        def run() -> None:
            for _ in range(BATCH):
                expression(mx.nd, x, y)
            mx.nd.waitall()

        return run

    return {name: repeated(expression) for name, expression in EXPRESSIONS.items()}
