"""Calls one compiled net very often with changing batch sizes, and says whether memory or plans grow.

    python -m tests.runtime.compiled.long_run [--calls 100000] [--engine numpy jit] [--sizes 1000] [--train]

Each answer is compared with numpy's. The exit status is 1 for a wrong answer, for more plans than are kept, or if
memory after the first fifth of the calls has grown by more than 10 %.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

import hybridlint.runtime as mx
from hybridlint.runtime.compiled import compile_cache

from .test_compile_cache import _expected, _net


def main() -> int:
    """Run each engine that is asked for and print what it took."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--calls", type=int, default=100_000)
    options.add_argument("--sizes", type=int, default=1000, help="how many batch sizes there are")
    options.add_argument("--engine", nargs="+", default=["numpy", "jit"])
    options.add_argument("--train", action="store_true", help="with gradients")
    given = options.parse_args()
    held = [_holds(engine, given) for engine in given.engine]
    return int(not all(held))


def _holds(engine: str, given: argparse.Namespace) -> bool:
    net, draw, begun = _net(engine), np.random.default_rng(0), 0
    farthest = 0.0
    for call in range(given.calls):
        # Sizes near each other for a while, then others: some calls find a plan, some do not.
        size = 1 + (call // 50 + int(draw.integers(20))) % given.sizes
        x = draw.standard_normal((size, 5)).astype("float32")
        farthest = max(farthest, float(np.abs(_called(net, x, given.train) - _expected(net, x)).max()))
        if call == given.calls // 5:
            begun = _resident()
    plans, grown = len(net._compiled_.call._graphs), _resident() / max(begun, 1) - 1
    print(f"{engine}: {given.calls} calls, {plans} plans, memory {grown:+.1%}, farthest {farthest:.1e}", flush=True)
    return farthest < 1e-4 and plans <= compile_cache.MOST and grown < 0.1


def _called(net: Any, x: np.ndarray, train: bool) -> Any:
    with mx.autograd.record() if train else mx.autograd.pause():
        y = net(mx.nd.array(x))
    if train:
        y.backward()
    return y.asnumpy()


def _resident() -> int:
    """Return the bytes that are in memory now; 1 where the system does not tell."""
    path = Path("/proc/self/statm")
    return int(path.read_text(encoding="ascii").split()[1]) if path.exists() else 1


if __name__ == "__main__":
    raise SystemExit(main())
