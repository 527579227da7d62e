"""Compare engines on eight workloads: time of a call that predicts or trains, hybridized with static_alloc.

    python benchmarks/engines.py [--mxnet PYTHON] [--torch PYTHON] [--jax PYTHON]
                                 [--rounds N] [--threads N] [--train] [--errors] [--svg FILE] [WORKLOAD ...]
    python benchmarks/engines.py --networks [...] [NETWORK ...]

Each contender works in a process of its own; short slices of their calls take turns, so that all see the same machine.
A workload has two rows, the time on the clock and the time that the process computed, for a machine that others load:
the least time of a call in microseconds with the median in brackets, and how many times as long as the engine `jit` the
others took. All have one thread unless `--threads` gives them more. What is not installed is left out by name, and so
are for a workload those that have no translation of its operators, or whose outputs differ from the other contenders'.
`--networks` has a dozen networks of gluoncv in place of the workloads, with a picture each. They predict.

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
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from chart import chart
from environment import environment
from networks import NETWORKS
from serving import UntranslatedError

ROOT = Path(__file__).resolve().parents[1]
#: Those of workloads.py, which needs the tests' models on its path.
WORKLOADS = ("mlp-1", "mlp-64", "lenet-16", "elementwise", "resnet18-1", "attention", "lstm-35", "cells-35")
#: A slice of calls, in seconds: long enough for some calls, short enough to fall between the work of others.
_SLICE = 0.02
#: So wide is the first column.
_TITLE = 36
#: Outputs that are further apart, by the largest number, are not those of the same network.
_APART = 1e-3


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

    def begin(self, workload: str) -> float | str:
        """Return the seconds of a first call, or what there is no translation of."""
        try:
            (seconds, *_), _ = self.time(workload, 0)
        except UntranslatedError as error:
            return str(error)
        return seconds

    def time(self, workload: str, seconds: float) -> tuple[list[float], list[float]]:
        """Return the seconds of calls: on the wall's clock, and on the processor's."""
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
        """Return an answer.

        Raises RuntimeError where the process has ended, UntranslatedError where it has no translation of a workload.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(*request, file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the worker ended at {' '.join(request)}")
        found = json.loads(answer)
        if isinstance(found, str):
            raise UntranslatedError(found)
        return found

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait()


def contenders(options: argparse.Namespace, folder: str) -> dict[str, Contender]:
    """Start those that are installed; the others are named. The folder has the workloads as files."""
    how, threads, mine = [folder, *(["train"] if options.train else [])], options.threads, "engine_worker.py"
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
        found["onnxruntime"] = Contender(sys.executable, mine, threads, "onnxruntime", *how)
    if options.mxnet is not None:
        found["mxnet"] = Contender(options.mxnet, mine, threads, "mxnet", *how)
    for name in ("torch", "jax"):
        if getattr(options, name) is not None:
            found[name] = Contender(getattr(options, name), f"{name}_worker.py", threads, *how)
    for name in ("mxnet", "torch", "jax"):
        if name not in found:
            print(f"{name} is left out: --{name} names an interpreter that has it", file=sys.stderr)
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the rows of each workload."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, library in (("mxnet", "the real MXNet"), ("torch", "PyTorch"), ("jax", "JAX")):
        parser.add_argument(f"--{name}", metavar="PYTHON", help=f"an interpreter that has {library}")
    parser.add_argument("--networks", action="store_true", help="networks of gluoncv in place of the workloads")
    parser.add_argument("--train", action="store_true", help="time forward, backward and the update of parameters")
    parser.add_argument("--errors", action="store_true", help="print errors beside float64, too")
    parser.add_argument("--svg", metavar="FILE", type=Path, help="draw the least times on the clock as bars")
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1, help="of each contender")
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join((*WORKLOADS, *NETWORKS)))
    options = parser.parse_args(arguments)
    if options.networks and options.train:
        parser.error("networks only predict")
    if options.networks and importlib.util.find_spec("gluoncv") is None:
        print("the networks are left out: gluoncv is not installed", file=sys.stderr)
        return
    chosen = options.workloads or (NETWORKS if options.networks else WORKLOADS)
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        running = contenders(options, folder)
        print(f"{'us a call':{_TITLE}}" + "".join(f"{name:>24}" for name in running), flush=True)
        least = {}
        for workload in chosen:
            if options.networks:
                _write_network(folder, workload)
            elif options.torch or options.jax:
                from exported import write

                write(Path(folder), workload)
            least[workload] = _compare(running, workload, folder, options)
        for contender in running.values():
            contender.close()
    if options.svg is not None:
        options.svg.write_text(chart(least, "jit" if "jit" in running else "numpy"), encoding="utf-8")


def _write_network(folder: str, name: str) -> None:
    """Write a network into the folder, in a process that has the bundled runtime under MXNet's name."""
    script = str(ROOT / "benchmarks" / "networks.py")
    command = [sys.executable, "-W", "ignore", "-m", "hybridlint", "run", script, folder, name]
    # Packages are where this process finds them.
    own = environment(threads=1, PYTHONPATH=os.pathsep.join([str(ROOT), *sys.path]))
    subprocess.run(command, env=own, stdout=subprocess.DEVNULL, check=True)


def _compare(
    everybody: dict[str, Contender], workload: str, folder: str, options: argparse.Namespace
) -> dict[str, float]:
    """Print the rows of a workload, and return the least seconds of each contender on the clock."""
    told = {name: contender.begin(workload) for name, contender in everybody.items()}
    for name, reason in told.items():
        if isinstance(reason, str):
            print(f"{workload}: {name} is left out: {reason}", file=sys.stderr)
    first = {name: seconds for name, seconds in told.items() if not isinstance(seconds, str)}
    running = {name: everybody[name] for name in first}
    if not options.train:
        running = _agreeing(running, workload)
    if options.errors:
        # Before many steps move the weights.
        expected = reference(workload, Path(folder), trains=options.train)
        errors = {name: f"{_error(one.arrays(workload), expected):.1e}" for name, one in running.items()}
        print(_row(f"{workload} error", errors, everybody), flush=True)
    times: list[dict[str, list[float]]] = [{name: [] for name in running} for _ in range(2)]
    for _ in range(options.rounds):
        for name, contender in running.items():
            for row, taken in zip(times, contender.time(workload, _SLICE), strict=True):
                row[name] += taken
    begun = ", ".join(f"{name} {first[name]:.2f} s" for name in running)
    print(f"{_row(f'{workload} wall', _cells(times[0]), everybody)}   first call {begun}")
    print(_row(f"{workload} processor", _cells(times[1]), everybody), flush=True)
    return {name: min(taken) for name, taken in times[0].items()}


def _agreeing(running: dict[str, Contender], workload: str) -> dict[str, Contender]:
    """Return the contenders whose outputs are those of MXNet, or of the first one where MXNet is not among them."""
    judge = "mxnet" if "mxnet" in running else next(iter(running))
    expected, found = running[judge].arrays(workload), {}
    for name, contender in running.items():
        apart = 0.0 if name == judge else _error(contender.arrays(workload), expected)
        if apart <= _APART:
            found[name] = contender
        else:
            print(f"{workload}: {name} is left out: its outputs are {apart:.1e} from {judge}'s", file=sys.stderr)
    return found


def _cells(times: dict[str, list[float]]) -> dict[str, str]:
    """Return what a row says of the seconds of each contender's calls."""
    least, cells = {name: min(row) for name, row in times.items()}, {}
    for name, taken in times.items():
        ratio = f" x{least[name] / least['jit']:.2f}" if "jit" in least and name != "jit" else ""
        cells[name] = f"{least[name] * 1e6:.0f} [{statistics.median(taken) * 1e6:.0f}]{ratio}"
    return cells


def _row(title: str, cells: Mapping[str, str], everybody: Iterable[str]) -> str:
    """Return a row of the table, in which those that were left out have a dash."""
    return f"{title:{_TITLE}}" + "".join(f"{cells.get(name, '-'):>24}" for name in everybody)


def reference(workload: str, folder: Path, *, trains: bool) -> dict[str, Any]:
    """Return the outputs of a workload, or its gradients, in float64."""
    import hybridlint.runtime as mx
    from tests.models import scenario

    net, numbers = _in_float64(mx, workload, folder)
    inputs = [mx.nd.array(x, dtype="float64") for x in numbers]
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


def _in_float64(mx: Any, workload: str, folder: Path) -> tuple[Any, list[Any]]:
    """Return a block that computes in float64, and the numbers that it takes."""
    from exported import inputs_of
    from workloads import WORKLOADS as CASES

    from tests.models import scenario

    if workload in CASES:
        return scenario.build(mx, CASES[workload], dtype="float64"), CASES[workload].inputs()
    path = folder / workload
    net = mx.gluon.SymbolBlock.imports(f"{path}-symbol.json", ["data"], f"{path}-0000.params")
    net.cast("float64")
    return net, inputs_of(folder, workload)


def _error(found: dict[str, Any], expected: dict[str, Any]) -> float:
    """Return the largest difference by the largest number, of the array where that is most."""
    assert found.keys() == expected.keys()
    return max(float(np.abs(found[name] - array).max() / np.abs(array).max()) for name, array in expected.items())


if __name__ == "__main__":
    main()
