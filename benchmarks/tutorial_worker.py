"""Prints the seconds that 1,000 passes take before and after `hybridize()`. See tutorial.py.

All interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

from workloads import mlp

_PASSES = 1000


def passes(mx: Any, net: Any, x: Any) -> float:
    """Return the seconds that passes of a batch take, all but a first one."""
    net(x).wait_to_read()
    start = time.perf_counter()
    for _ in range(_PASSES):
        net(x)
    mx.nd.waitall()
    return time.perf_counter() - start


def main(module: str) -> None:
    """Print both times."""
    mx = importlib.import_module(module)
    net, x = mlp(mx), mx.nd.random.normal(shape=(1, 512))
    net.initialize()
    before = passes(mx, net, x)
    net.hybridize()
    print(before, passes(mx, net, x))


if __name__ == "__main__":
    main(sys.argv[1])
