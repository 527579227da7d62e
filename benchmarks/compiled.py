"""Time whole models, hybridized with static_alloc, on the bundled runtime and beside it on the real MXNet.

    python benchmarks/compiled.py [--mxnet PYTHON_WITH_MXNET] [--rounds N] [MODEL ...]

Each engine works in a process of its own with one thread; slices of their runs take turns, so that both see the same
machine. The table gives milliseconds a call: the least, and the median of all slices.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from environment import environment

ROOT = Path(__file__).resolve().parents[1]
MODELS = ("lenet", "resnet18", "lstm", "cells", "transformer")
KINDS = ("predict", "train")


class Engine:
    """A worker process that times calls of one engine."""

    def __init__(
        self, interpreter: str, module: str, worker: str = "worker.py", threads: int = 1, **variables: str
    ) -> None:
        self._process = subprocess.Popen(
            [interpreter, "-W", "ignore", str(ROOT / "benchmarks" / worker), module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment(threads, **variables),
        )

    def time(self, model: str, kind: str, slices: int) -> list[float]:
        """Return the seconds of some calls, one after another. Raises RuntimeError where the worker has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(model, kind, slices, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended at {model} {kind}")
        found: list[float] = json.loads(answer)
        return found

    def close(self) -> None:
        """End the worker."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def interleaved(engines: dict[str, Engine], model: str, kind: str, rounds: int) -> dict[str, list[float]]:
    """Return the times of each engine, a slice of each in turn."""
    times: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(rounds):
        for name, engine in engines.items():
            times[name] += engine.time(model, kind, 3)
    return times


def main(arguments: Sequence[str] | None = None) -> None:
    """Print one line for each model and kind of call."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has the real MXNet")
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("models", nargs="*", metavar="MODEL", help=", ".join(MODELS))
    options = parser.parse_args(arguments)
    engines = {"hybridlint": Engine(sys.executable, "hybridlint.runtime")}
    if options.mxnet:
        engines["mxnet"] = Engine(options.mxnet, "mxnet")
    print(f"{'ms a call':20}" + "".join(f"{name + ' min':>16}{'median':>10}" for name in engines), flush=True)
    for model in options.models or MODELS:
        for kind in KINDS:
            print(_line(f"{model} {kind}", interleaved(engines, model, kind, options.rounds)), flush=True)
    for engine in engines.values():
        engine.close()


def _line(title: str, times: dict[str, list[float]]) -> str:
    cells: list[Any] = [(min(row) * 1e3, statistics.median(row) * 1e3) for row in times.values()]
    line = f"{title:20}" + "".join(f"{least:16.3f}{middle:10.3f}" for least, middle in cells)
    if len(cells) == 2:
        line += f"   x{cells[1][0] / cells[0][0]:.2f} of mxnet's speed"
    return line


if __name__ == "__main__":
    main()
