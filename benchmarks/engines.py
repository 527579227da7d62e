"""Compare engines on seven workloads: time of a call that predicts or trains, hybridized with static_alloc.

    python benchmarks/engines.py [--mxnet PYTHON_WITH_MXNET] [--rounds N] [--threads N] [--train] [WORKLOAD ...]

Each contender works in a process of its own; short slices of their calls take turns, so that all see the same machine.
The table gives the least time of a call in microseconds with the median in brackets, and how many times as long as the
engine `jit` the others took. All have one thread unless `--threads` gives them more. What is not installed is left out
by name. `--clock processor` counts the time that the process computes, for a machine that others load. With `--train` a
call records, goes backward and updates the parameters.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
#: Those of workloads.py, which needs the tests' models on its path.
WORKLOADS = ("mlp-1", "mlp-64", "lenet-16", "elementwise", "resnet18-1", "attention", "lstm-35")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
#: A slice of calls, in seconds: long enough for some calls, short enough to fall between the work of others.
_SLICE = 0.02


class Contender:
    """A process that times calls."""

    def __init__(self, interpreter: str, kind: str, threads: int, *options: str) -> None:
        ours = kind in {"numpy", "jit"}
        worker = ROOT / "benchmarks" / "engine_worker.py"
        self._process = subprocess.Popen(
            [interpreter, "-W", "ignore", str(worker), kind, *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Optimizers ask the environment: they belong to no block.
            env={
                **os.environ,
                **dict.fromkeys(_THREADS, str(threads)),
                "PYTHONPATH": str(ROOT),
                **({"HYBRIDLINT_ENGINE": kind} if ours else {}),
            },
        )

    def ask(self, workload: str, seconds: float) -> list[float]:
        """Return the seconds of calls; the first one of a workload comes first. Raises RuntimeError where it ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(workload, seconds, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended at {workload}")
        found: list[float] = json.loads(answer)
        return found

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def contenders(mxnet: str | None, clock: str, threads: int, *, train: bool) -> dict[str, Contender]:
    """Start those that are installed; the others are named."""
    how = [clock, *(["train"] if train else [])]
    found = {"numpy": Contender(sys.executable, "numpy", threads, *how)}
    for name, library in (("jit", "llvmlite"), ("onnxruntime", "onnxruntime")):
        if train and name == "onnxruntime":
            print(f"{name} is left out: it only predicts", file=sys.stderr)
        elif importlib.util.find_spec(library) is None:
            print(f"{name} is left out: {library} is not installed", file=sys.stderr)
        else:
            found[name] = Contender(sys.executable, name, threads, *how)
    if mxnet is None:
        print("mxnet is left out: --mxnet names an interpreter that has it", file=sys.stderr)
    else:
        found["mxnet"] = Contender(mxnet, "mxnet", threads, *how)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print a row for each workload."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mxnet", metavar="PYTHON", help="an interpreter that has the real MXNet")
    parser.add_argument("--clock", choices=["wall", "processor"], default="wall", help="which time is counted")
    parser.add_argument("--train", action="store_true", help="time forward, backward and the update of parameters")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1, help="of each contender")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    options = parser.parse_args(arguments)
    running = contenders(options.mxnet, options.clock, options.threads, train=options.train)
    print(f"{'us a call':14}" + "".join(f"{name:>24}" for name in running), flush=True)
    for workload in options.workloads or WORKLOADS:
        first = {name: contender.ask(workload, 0)[0] for name, contender in running.items()}
        times: dict[str, list[float]] = {name: [] for name in running}
        for _ in range(options.rounds):
            for name, contender in running.items():
                times[name] += contender.ask(workload, _SLICE)
        print(_row(workload, times, first), flush=True)
    for contender in running.values():
        contender.close()


def _row(workload: str, times: dict[str, list[float]], first: dict[str, float]) -> str:
    least = {name: min(row) for name, row in times.items()}
    row = f"{workload:14}"
    for name, taken in times.items():
        ratio = f" x{least[name] / least['jit']:.2f}" if "jit" in least and name != "jit" else ""
        row += f"{f'{least[name] * 1e6:.0f} [{statistics.median(taken) * 1e6:.0f}]{ratio}':>24}"
    return row + "   first call " + ", ".join(f"{name} {seconds:.2f} s" for name, seconds in first.items())


if __name__ == "__main__":
    main()
