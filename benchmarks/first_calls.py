"""Tell what the first calls of a network cost: seconds, and memory beside the plan.

    python benchmarks/first_calls.py [--engine NAME ...] [--train] [WORKLOAD ...]

The workloads are those of engines.py. A row is a process of its own with one thread, whose object code is kept in a
new folder: `cold` makes native code, `warm` finds on disk what the row before has made. The seconds are those of the
network's first hybridized call, on the wall's clock and on the processor's. Memory is what the arrays of the second
call hold at once, beside the plan: buffers that are reserved anew for each call, and outputs.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
WORKLOADS = ("mlp-1", "mlp-64", "lenet-16", "elementwise", "resnet18-1", "attention", "lstm-35", "cells-35")
_THREADS = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


def main(arguments: Sequence[str] | None = None) -> None:
    """Print two rows for each workload and engine."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engine", action="append", help="numpy, jit (default) or onnx")
    parser.add_argument("--train", action="store_true", help="record and go backward, too")
    parser.add_argument("--worker", metavar="ENGINE", help=argparse.SUPPRESS)
    parser.add_argument("workloads", nargs="*", metavar="WORKLOAD", help=", ".join(WORKLOADS))
    options = parser.parse_args(arguments)
    if options.worker:
        print(json.dumps(measured(options.worker, options.workloads[0], trains=options.train)))
        return
    print(f"{'':28}{'wall s':>10}{'processor s':>13}{'second call KiB':>17}{'plan KiB':>12}")
    for workload in options.workloads or WORKLOADS:
        for engine in options.engine or ["jit"]:
            with tempfile.TemporaryDirectory() as folder:
                for title in ("cold", "warm"):
                    wall, processor, held, planned = _asked(engine, workload, folder, options.train)
                    row = f"{wall:10.2f}{processor:13.2f}{held / 1024:17.0f}{planned / 1024:12.0f}"
                    print(f"{f'{workload} {engine} {title}':28}{row}", flush=True)


def _asked(engine: str, workload: str, folder: str, trains: bool) -> tuple[float, float, int, int]:
    command = [sys.executable, "-W", "ignore", __file__, "--worker", engine, workload, *(["--train"] if trains else [])]
    own = {"PYTHONPATH": str(ROOT), "HYBRIDLINT_ENGINE_CACHE": folder, **dict.fromkeys(_THREADS, "1")}
    done = subprocess.run(command, env={**os.environ, **own}, stdout=subprocess.PIPE, check=True)
    wall, processor, held, planned = json.loads(done.stdout)
    return wall, processor, held, planned


def measured(engine: str, workload: str, *, trains: bool) -> tuple[float, float, int, int]:
    """Return the seconds of a first call, the bytes that the second one holds at once, and those that were planned."""
    from workloads import WORKLOADS as CASES

    import hybridlint.runtime as mx
    from tests.models import scenario

    case = CASES[workload]
    net = scenario.build(mx, case)
    inputs = [mx.nd.array(x) for x in case.inputs()]
    net.hybridize(backend=engine)

    def call() -> list[Any]:
        if not trains:
            return scenario.flat(net(*inputs))
        with mx.autograd.record():
            outputs = scenario.flat(net(*inputs))
        mx.autograd.backward(outputs)
        return outputs

    if trains:
        for array in inputs:
            array.attach_grad()
    wall, processor = time.perf_counter(), time.process_time()
    outputs = call()
    seconds = (time.perf_counter() - wall, time.process_time() - processor)
    made = sum(y.asnumpy().nbytes for y in outputs)
    del outputs
    tracemalloc.start()
    call()
    held = tracemalloc.get_traced_memory()[1]
    planned = sum(graph.executor.plan.bytes_planned for graph in net.explain().graphs)
    return *seconds, held, planned + made


if __name__ == "__main__":
    main()
