"""Measures one case of new_sizes.py in this process, and prints a line of JSON.

Both interpreters run this file, so it stays within Python 3.8. Seconds are those of the processor, of all threads.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

#: Calls with a size of their own, before the new ones, and new sizes that are timed.
_KNOWN, _NEW = 4, 12


def _mlp(mx: Any, size: int) -> tuple[Any, Callable[[int], list[Any]]]:
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Dense(64, activation="relu", in_units=32), mx.gluon.nn.Dense(10, in_units=64))
    return net, lambda number: [mx.nd.random.uniform(shape=(size + number, 32))]


def _convolutions(mx: Any, size: int) -> tuple[Any, Callable[[int], list[Any]]]:
    net = mx.gluon.nn.HybridSequential()
    net.add(mx.gluon.nn.Conv2D(16, 3, activation="relu", in_channels=3), mx.gluon.nn.Conv2D(16, 3, in_channels=16))
    return net, lambda number: [mx.nd.random.uniform(shape=(1, 3, size + 2 * number, size + 2 * number))]


def _lstm(mx: Any, size: int) -> tuple[Any, Callable[[int], list[Any]]]:
    net = mx.gluon.rnn.LSTM(32, input_size=16)
    return net, lambda number: [mx.nd.random.uniform(shape=(size + number, 4, 16))]


def _deep(mx: Any, layers: int) -> Any:
    net = mx.gluon.nn.HybridSequential()
    for _ in range(layers):
        net.add(mx.gluon.nn.Dense(8, in_units=8))
    return net


_NETS = {"mlp": (_mlp, 8), "convolutions": (_convolutions, 24), "lstm": (_lstm, 10)}


def _ready(mx: Any, net: Any) -> Any:
    net.initialize(mx.init.Uniform(0.1))
    net.hybridize()
    return net


def _seconds(mx: Any, call: Callable[[], Any]) -> float:
    mx.nd.waitall()
    start = time.process_time()
    call()
    mx.nd.waitall()
    return time.process_time() - start


def _caller(mx: Any, net: Any, train: bool) -> Callable[[list[Any]], None]:
    def predict(inputs: list[Any]) -> None:
        net(*inputs).wait_to_read()

    def step(inputs: list[Any]) -> None:
        with mx.autograd.record():
            loss = net(*inputs).sum()
        loss.backward()
        loss.wait_to_read()

    return step if train else predict


def first_calls(mx: Any, kind: str, train: bool) -> dict[str, Any]:
    """Return the seconds of the first call with each new size."""
    make, size = _NETS[kind]
    net, inputs = make(mx, size)
    call = _caller(mx, _ready(mx, net), train)
    for number in range(_KNOWN):
        call(inputs(number))
    given = [inputs(_KNOWN + number) for number in range(_NEW)]
    return {"seconds": [_seconds(mx, lambda values=values: call(values)) for values in given]}


def many_sizes(mx: Any, count: int) -> dict[str, Any]:
    """Return the seconds of a call with each of many batch sizes, together, and by how many MB the process grew."""
    net, inputs = _mlp(mx, 1)
    call = _caller(mx, _ready(mx, net), train=False)
    call(inputs(0))
    given = [inputs(number) for number in range(1, count + 1)]
    before = _peak()
    seconds = _seconds(mx, lambda: [call(values) for values in given])
    return {"seconds": [seconds], "megabytes": _peak() - before}


def depth(mx: Any, layers: int) -> dict[str, Any]:
    """Return the seconds of the first call and of the first gradient of dense layers in a row, and MB of growth."""
    net, before = _ready(mx, _deep(mx, layers)), _peak()
    data = mx.nd.random.uniform(shape=(4, 8))
    forward = _seconds(mx, lambda: _caller(mx, net, train=False)([data]))
    backward = _seconds(mx, lambda: _caller(mx, net, train=True)([data]))
    return {"seconds": [forward], "gradient": [backward], "megabytes": _peak() - before}


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main(module: str, case: str) -> None:
    """Measure a case such as ``lstm-train``, ``many-1000`` or ``depth-1000``."""
    mx = importlib.import_module(module)
    kind, _, rest = case.partition("-")
    if kind == "many":
        found = many_sizes(mx, int(rest))
    elif kind == "depth":
        found = depth(mx, int(rest))
    else:
        found = first_calls(mx, kind, rest == "train")
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
