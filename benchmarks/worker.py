"""Answers requests on standard input, ``MODEL KIND CALLS`` a line, with a list of seconds. See compiled.py.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import operators

from tests.models import architectures, scenario

#: Sizes of the models as they are used, unlike those of the tests.
CASES = {
    "lenet": architectures.Case(architectures.lenet, [(16, 1, 28, 28)], [0], 10),
    "resnet18": architectures.Case(architectures.resnet18, [(1, 3, 224, 224)], [0], 10),
    "lstm": architectures.Case(
        partial(architectures.fused_language_model, words=1000, units=200),
        [(35, 32), (4, 32, 200), (4, 32, 200)],
        [1000, 0, 0],
        1000,
    ),
    "cells": architectures.Case(
        partial(architectures.cell_language_model, words=100, units=100, steps=10), [(16, 10)], [100], 100
    ),
    "transformer": architectures.Case(
        partial(architectures.transformer, words=1000, units=256, heads=8), [(8, 64), (8, 64)], [1000, 2], 1000
    ),
}


def calls(mx: Any, model: str) -> dict[str, Callable[[], None]]:
    """Return functions that predict and that train once, warm; or those of the operators."""
    if model == "operators":
        return operators.calls(mx)
    case = CASES[model]
    net = scenario.build(mx, case, "static")
    inputs = [mx.nd.array(x) for x in case.inputs()]

    def predict() -> None:
        for output in scenario.flat(net(*inputs)):
            output.wait_to_read()

    def train() -> None:
        with mx.autograd.record():
            output = scenario.flat(net(*inputs))[0]
        output.backward()
        mx.nd.waitall()

    for call in (predict, train) * 2:
        call()
    return {"predict": predict, "train": train}


def main(module: str) -> None:
    """Answer until the input ends."""
    mx = importlib.import_module(module)
    ready: dict[str, Any] = {}
    for line in sys.stdin:
        model, kind, count = line.split()
        if model not in ready:
            ready = {model: calls(mx, model)}
        seconds = []
        for _ in range(int(count)):
            start = time.perf_counter()
            ready[model][kind]()
            seconds.append(time.perf_counter() - start)
        print(json.dumps(seconds), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
