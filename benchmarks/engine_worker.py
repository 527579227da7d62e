"""Answers requests on standard input, ``WORKLOAD SECONDS`` a line, with a list of seconds. See engines.py.

All interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from workloads import WORKLOADS

from tests.models import scenario

#: Steps so small that a network is the same after many of them.
_PACE = {"learning_rate": 1e-9, "momentum": 0.9}


def gluon(kind: str, workload: str) -> Callable[[], None]:
    """Return a function that predicts once with Gluon: on MXNet, or on an engine of the bundled runtime."""
    mx = importlib.import_module("mxnet" if kind == "mxnet" else "hybridlint.runtime")
    net, inputs = _net(mx, workload)
    engine = {} if kind == "mxnet" else {"backend": kind}
    net.hybridize(static_alloc=True, static_shape=True, **engine)

    def predict() -> None:
        for output in scenario.flat(net(*inputs)):
            output.wait_to_read()

    return predict


def training(kind: str, workload: str) -> Callable[[], None]:
    """Return a function that trains once with Gluon: forward, backward and the update of the parameters."""
    mx = importlib.import_module("mxnet" if kind == "mxnet" else "hybridlint.runtime")
    net, inputs = _net(mx, workload)
    engine = {} if kind == "mxnet" else {"backend": kind}
    net.hybridize(static_alloc=True, static_shape=True, **engine)
    parameters = list(net.collect_params().values())
    arrays = [parameter.list_data()[0] for parameter in parameters]
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", _PACE) if parameters else None
    if trainer is None:
        for array in inputs:
            array.attach_grad()
        arrays = [array.grad for array in inputs]

    def train() -> None:
        with mx.autograd.record():
            outputs = scenario.flat(net(*inputs))
        mx.autograd.backward(outputs)
        if trainer is not None:
            trainer.step(1)
        for array in arrays:
            array.wait_to_read()

    return train


def _net(mx: Any, workload: str) -> Any:
    case = WORKLOADS[workload]
    return scenario.build(mx, case), [mx.nd.array(x) for x in case.inputs()]


def onnxruntime(kind: str, workload: str) -> Callable[[], None]:
    """Return a function that predicts once with ONNX Runtime, on a file that the bundled runtime has written."""
    mx = importlib.import_module("hybridlint.runtime")
    library = importlib.import_module(kind)
    net, inputs = _net(mx, workload)
    net.hybridize()
    net(*inputs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "net")
        net.export(str(path))
        mx.onnx.export_model(
            f"{path}-symbol.json",
            f"{path}-0000.params",
            in_shapes=[x.shape for x in inputs],
            in_types="float32",
            onnx_file_path=f"{path}.onnx",
        )
        options = library.SessionOptions()
        options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
        options.inter_op_num_threads = 1
        session = library.InferenceSession(f"{path}.onnx", options, providers=["CPUExecutionProvider"])
    given = dict(zip([one.name for one in session.get_inputs()], [x.asnumpy() for x in inputs]))  # noqa: B905

    def predict() -> None:
        session.run(None, given)

    return predict


def main(kind: str, clock: Callable[[], float], *, trains: bool) -> None:
    """Answer until the input ends."""
    ready: dict[str, Callable[[], None]] = {}
    for line in sys.stdin:
        workload, budget = line.split()
        taken = []
        if workload not in ready:
            make = onnxruntime if kind == "onnxruntime" else training if trains else gluon
            ready = {workload: make(kind, workload)}
        run, end = ready[workload], time.perf_counter() + float(budget)
        while not taken or time.perf_counter() < end:
            start = clock()
            run()
            taken.append(clock() - start)
        print(json.dumps(taken), flush=True)


if __name__ == "__main__":
    main(
        sys.argv[1],
        time.process_time if sys.argv[2] == "processor" else time.perf_counter,
        trains=sys.argv[3:] == ["train"],
    )
