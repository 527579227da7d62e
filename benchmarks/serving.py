"""What each contender of engines.py does with requests.

All interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

#: Steps so small that a network is the same after many of them.
PACE = {"learning_rate": 1e-9, "momentum": 0.9}


#: Calls of fewer seconds are timed several at a time: to read both clocks takes a microsecond.
_LONG = 1e-4


@dataclass(frozen=True)
class Ready:
    """A workload that is ready: a call of it, and the arrays that the last call gave, by name."""

    run: Callable[[], None]
    found: Callable[[], dict[str, Any]]


class UntranslatedError(Exception):
    """A contender cannot run a workload: the message says what it has no translation of."""


def serve(make: Callable[[str], Ready]) -> None:
    """Answer requests on standard input until it ends, with a line of JSON each.

    ``time WORKLOAD SECONDS`` asks for calls: a list of their seconds on the wall's clock, and one on the processor's.
    ``keep WORKLOAD FILE`` has what a call gives written to a file. What a workload that cannot be run lacks is a text.
    """
    ready: dict[str, Ready] = {}
    for line in sys.stdin:
        request, workload, value = line.split(maxsplit=2)
        answer: Any
        try:
            if workload not in ready:
                # One at a time: networks are large.
                ready = {}
                ready = {workload: make(workload)}
            answer = _answered(ready[workload], request, value)
        except UntranslatedError as error:
            answer = str(error)
        print(json.dumps(answer), flush=True)


def _answered(asked: Ready, request: str, value: str) -> Any:
    if request == "keep":
        asked.run()
        np.savez(value.strip(), **asked.found())
        return []
    return _timed(asked.run, float(value))


def _timed(run: Callable[[], None], budget: float) -> tuple[list[float], list[float]]:
    wall: list[float] = []
    processor: list[float] = []
    end = time.perf_counter() + budget
    count = 1
    while not wall or time.perf_counter() < end:
        computed, start = time.process_time(), time.perf_counter()
        for _ in range(count):
            run()
        wall.append((time.perf_counter() - start) / count)
        processor.append((time.process_time() - computed) / count)
        count = max(1, round(_LONG / wall[-1]))
    return wall, processor
