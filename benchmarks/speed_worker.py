"""Answers requests on standard input, ``CASE KIND SLICES`` a line, with a list of seconds a call. See speed.py.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

from api_calls import CASES

#: The least length of a slice, in seconds: short calls are timed many at once.
_SLICE = 0.004


def batch(mx: Any, call: Callable[[], Any], count: int) -> float:
    """Return the seconds that some calls take until all their results are there."""
    start = time.perf_counter()
    for _ in range(count):
        call()
    mx.nd.waitall()
    return time.perf_counter() - start


def main(module: str) -> None:
    """Answer until the input ends."""
    mx = importlib.import_module(module)
    name, call, count = "", None, 1
    for line in sys.stdin:
        wanted, _, slices = line.split()
        if wanted != name or call is None:
            mx.random.seed(0)
            name, call, count = wanted, CASES[wanted](mx), 1
            batch(mx, call, 2)
            while batch(mx, call, count) < _SLICE:
                count *= 2
        print(json.dumps([batch(mx, call, count) / count for _ in range(int(slices))]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
