"""Tell what the first calls of a network cost: seconds, and memory beside the plan.

    python benchmarks/first_calls.py [--engine NAME ...] [--train] [WORKLOAD ...]

The workloads are those of engines.py. A row is a process of its own with one thread, whose object code is kept in a
new folder: `cold` makes native code, `warm` finds on disk what the row before has made. The seconds are those of the
network's first hybridized call, on the wall's clock and on the processor's. Memory is what the second call holds at
once, beside the plan: buffers that are reserved anew for each call, outputs, and Python's objects. On Linux it is also
by how much the process grows in a third call, whoever reserves memory there, when all that is free was given back
before, and memory comes in pages of four kilobytes.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import math
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from environment import environment

WORKLOADS = ("mlp-1", "mlp-64", "lenet-16", "elementwise", "resnet18-1", "attention", "lstm-35", "cells-35")


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
    print(f"{'':28}{'wall s':>10}{'processor s':>13}{'second call KiB':>17}{'process KiB':>13}{'plan KiB':>12}")
    for workload in options.workloads or WORKLOADS:
        for engine in options.engine or ["jit"]:
            with tempfile.TemporaryDirectory() as folder:
                for title in ("cold", "warm"):
                    wall, processor, held, grown, planned = _asked(engine, workload, folder, options.train)
                    memory = f"{held / 1024:17.0f}{grown / 1024:13.0f}{planned / 1024:12.0f}"
                    print(f"{f'{workload} {engine} {title}':28}{wall:10.2f}{processor:13.2f}{memory}", flush=True)


def _asked(engine: str, workload: str, folder: str, trains: bool) -> tuple[float, float, int, float, int]:
    command = [sys.executable, "-W", "ignore", __file__, "--worker", engine, workload, *(["--train"] if trains else [])]
    # With huge pages the system rounds large arrays up to pages of two megabytes.
    own = environment(threads=1, HYBRIDLINT_ENGINE_CACHE=folder, NUMPY_MADVISE_HUGEPAGE="0")
    done = subprocess.run(command, env=own, stdout=subprocess.PIPE, check=True)
    wall, processor, held, grown, planned = json.loads(done.stdout)
    return wall, processor, held, grown, planned


def measured(engine: str, workload: str, *, trains: bool) -> tuple[float, float, int, float, int]:
    """Return the seconds of a first call, the bytes of a second one and of a third one, and those that were planned."""
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
    tracemalloc.stop()
    grown = growth_of(call)
    planned = sum(graph.executor.plan.bytes_planned for graph in net.explain().graphs)
    return *seconds, held, grown, planned + made


def growth_of(call: Callable[[], object]) -> float:
    """Return the bytes by which the process grows at most during a call; not a number where the system tells none."""
    status, peak = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    if not peak.exists():
        return math.nan
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)
    # The most that was resident so far becomes what is resident now.
    peak.write_text("5", encoding="ascii")
    before = status.read_text(encoding="utf-8")
    held = call()
    after = status.read_text(encoding="utf-8")
    del held
    return _kilobytes(after, "VmHWM") * 1024 - _kilobytes(before, "VmRSS") * 1024


def _kilobytes(status: str, name: str) -> int:
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith(f"{name}:"))


if __name__ == "__main__":
    main()
