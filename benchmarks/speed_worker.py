"""Answers requests on standard input, ``CASE CLOCK SLICES`` a line, with a list of seconds a call. See speed.py.

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


_CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}


def batch(mx: Any, call: Callable[[], Any], count: int, clock: Callable[[], float]) -> float:
    """Return the seconds that some calls take until all their results are there."""
    start = clock()
    for _ in range(count):
        call()
    mx.nd.waitall()
    return clock() - start


def main(module: str) -> None:
    """Answer until the input ends."""
    mx = importlib.import_module(module)
    name, call, count = "", None, 1
    for line in sys.stdin:
        wanted, kind, slices = line.split()
        clock = _CLOCKS[kind]
        if wanted != name or call is None:
            mx.random.seed(0)
            name, call, count = wanted, CASES[wanted](mx), 1
            batch(mx, call, 2, clock)
            while batch(mx, call, count, clock) < _SLICE:
                count *= 2
        print(json.dumps([batch(mx, call, count, clock) / count for _ in range(int(slices))]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
