"""Compare engines on eight workloads: time of a call that predicts or trains, hybridized with static_alloc.

    python benchmarks/engines.py [--mxnet PYTHON] [--torch PYTHON] [--jax PYTHON]
                                 [--rounds N] [--threads N] [--train] [--errors] [--svg FILE] [WORKLOAD ...]

Each contender works in a process of its own; short slices of their calls take turns, so that all see the same machine.
A workload has two rows, the time on the clock and the time that the process computed, for a machine that others load:
the least time of a call in microseconds with the median in brackets, and how many times as long as the engine `jit` the
others took. All have one thread unless `--threads` gives them more. What is not installed is left out by name.

`--mxnet`, `--torch` and `--jax` name interpreters that have these libraries; the last two need numpy alone beside them.
PyTorch is torch.compile with inductor, which may take weights for constants where it only predicts. JAX has no variable
for its threads, so its process keeps to so many processors. With `--train` a call records, goes backward and updates
the parameters. `--errors` prints how far outputs, or the gradients of the second call, are from those in float64: the
largest difference by the largest number, of the array where that is most. A gradient jumps where a rectifier or a
maximum has a kink, which the last digit of a sum may decide.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from chart import chart
from environment import environment

ROOT = Path(__file__).resolve().parents[1]
#: Those of workloads.py, which needs the tests' models on its path.
WORKLOADS = ("mlp-1", "mlp-64", "lenet-16", "elementwise", "resnet18-1", "attention", "lstm-35", "cells-35")
#: A slice of calls, in seconds: long enough for some calls, short enough to fall between the work of others.
_SLICE = 0.02


class Contender:
    """A process that times calls."""

    def __init__(self, interpreter: str, worker: str, threads: int, *options: str, engine: str | None = None) -> None:
        self._process = subprocess.Popen(
            [interpreter, "-W", "ignore", str(ROOT / "benchmarks" / worker), *options],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Optimizers ask the environment: they belong to no block.
            env=environment(threads, **({"HYBRIDLINT_ENGINE": engine} if engine else {})),
        )

    def time(self, workload: str, seconds: float) -> tuple[list[float], list[float]]:
        """Return the seconds of calls: on the wall's clock, and on the processor's. The first call comes first."""
        wall, processor = self._ask("time", workload, str(seconds))
        return wall, processor

    def arrays(self, workload: str) -> dict[str, Any]:
        """Return what a call gives."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "found.npz")
            self._ask("keep", workload, str(path))
            with np.load(path) as held:
                return dict(held)

    def _ask(self, *request: str) -> Any:
        """Return an answer. Raises RuntimeError where the process has ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(*request, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended at {' '.join(request)}")
        return json.loads(answer)

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def contenders(options: argparse.Namespace, folder: str) -> dict[str, Contender]:
    """Start those that are installed; the others are named. The folder has the workloads as files."""
    how, threads, mine = ["train"] if options.train else [], options.threads, "engine_worker.py"
    found = {"numpy": Contender(sys.executable, mine, threads, "numpy", *how, engine="numpy")}
    if importlib.util.find_spec("llvmlite") is None:
        print("jit is left out: llvmlite is not installed", file=sys.stderr)
    else:
        found["jit"] = Contender(sys.executable, mine, threads, "jit", *how, engine="jit")
    if options.train:
        print("onnxruntime is left out: it only predicts", file=sys.stderr)
    elif importlib.util.find_spec("onnxruntime") is None:
        print("onnxruntime is left out: it is not installed", file=sys.stderr)
    else:
        found["onnxruntime"] = Contender(sys.executable, mine, threads, "onnxruntime")
    if options.mxnet is not None:
        found["mxnet"] = Contender(options.mxnet, mine, threads, "mxnet", *how)
    for name in ("torch", "jax"):
        if getattr(options, name) is not None:
            found[name] = Contender(getattr(options, name), f"{name}_worker.py", threads, folder, *how)
    for name in ("mxnet", "torch", "jax"):
        if name not in found:
            print(f"{name} is left out: --{name} names an interpreter that has it", file=sys.stderr)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rows of each workload."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, library in (("mxnet", "the real MXNet"), ("torch", "PyTorch"), ("jax", "JAX")):
        parser.add_argument(f"--{name}", metavar="PYTHON", help=f"an interpreter that has {library}")
    parser.add_argument("--train", action="store_true", help="time forward, backward and the update of parameters")
    parser.add_argument("--errors", action="store_true", help="print errors beside float64, too")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="draw the least times on the clock as bars")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1, help="of each contender")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    options = parser.parse_args(arguments)
    chosen = options.workloads or WORKLOADS
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        if options.torch or options.jax:
            from exported import write

            for workload in chosen:
                write(Path(folder), workload)
        running = contenders(options, folder)
        print(f"{'us a call':24}" + "".join(f"{name:>24}" for name in running), flush=True)
        least = {workload: _compare(running, workload, options) for workload in chosen}
        for contender in running.values():
            contender.close()
    if options.svg is not None:
        options.svg.write_text(chart(least, "jit" if "jit" in running else "numpy"), encoding="utf-8")


def _compare(running: dict[str, Contender], workload: str, options: argparse.Namespace) -> dict[str, float]:
    """Print the rows of a workload, and return the least seconds of each contender on the clock."""
    first = {name: contender.time(workload, 0) for name, contender in running.items()}
    if options.errors:
        # Before many steps move the weights.
        expected = reference(workload, trains=options.train)
        row = "".join(f"{_error(one.arrays(workload), expected):24.1e}" for one in running.values())
        print(f"{workload + ' error':24}{row}", flush=True)
    times: list[dict[str, list[float]]] = [{name: [] for name in running} for _ in range(2)]
    for _ in range(options.rounds):
        for name, contender in running.items():
            for row, taken in zip(times, contender.time(workload, _SLICE), strict=True):
                row[name] += taken
    begun = ", ".join(f"{name} {wall[0]:.2f} s" for name, (wall, _) in first.items())
    print(f"{_row(f'{workload} wall', times[0])}   first call {begun}")
    print(_row(f"{workload} processor", times[1]), flush=True)
    return {name: min(taken) for name, taken in times[0].items()}


def _row(title: str, times: dict[str, list[float]]) -> str:
    least = {name: min(row) for name, row in times.items()}
    row = f"{title:24}"
    for name, taken in times.items():
        ratio = f" x{least[name] / least['jit']:.2f}" if "jit" in least and name != "jit" else ""
        row += f"{f'{least[name] * 1e6:.0f} [{statistics.median(taken) * 1e6:.0f}]{ratio}':>24}"
    return row


def reference(workload: str, *, trains: bool) -> dict[str, Any]:
    """Return the outputs of a workload, or its gradients, in float64."""
    from workloads import WORKLOADS as CASES

    import hybridlint.runtime as mx
    from tests.models import scenario

    case = CASES[workload]
    net = scenario.build(mx, case, dtype="float64")
    inputs = [mx.nd.array(x, dtype="float64") for x in case.inputs()]
    if not trains:
        return {f"output {k}": y.asnumpy() for k, y in enumerate(scenario.flat(net(*inputs)))}
    for array in inputs:
        array.attach_grad()
    with mx.autograd.record():
        outputs = scenario.flat(net(*inputs))
    mx.autograd.backward(outputs)
    parameters = {n: p for n, p in net._collect_params_with_prefix().items() if p.grad_req != "null"}
    if parameters:
        return {name: parameter.grad().asnumpy() for name, parameter in parameters.items()}
    return {f"input {k}": x.grad.asnumpy() for k, x in enumerate(inputs)}


def _error(found: dict[str, Any], expected: dict[str, Any]) -> float:
    """Return the largest difference by the largest number, of the array where that is most."""
    assert found.keys() == expected.keys()
    return max(float(np.abs(found[name] - array).max() / np.abs(array).max()) for name, array in expected.items())


if __name__ == "__main__":
    main()
