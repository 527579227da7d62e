"""Answers requests as a contender of engines.py: Gluon on MXNet or on an engine of the bundled runtime, ONNX Runtime.

All interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import importlib
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from exported import inputs_of
from serving import PACE, Ready, UntranslatedError, serve
from workloads import WORKLOADS

from tests.models import scenario


def gluon(kind: str, folder: str, workload: str) -> Ready:
    """Return Gluon that predicts: on MXNet, or on an engine of the bundled runtime."""
    mx = importlib.import_module("mxnet" if kind == "mxnet" else "hybridlint.runtime")
    net, inputs = _net(mx, folder, workload)
    engine = {} if kind == "mxnet" else {"backend": kind}
    net.hybridize(static_alloc=True, static_shape=True, **engine)
    outputs: list[Any] = []

    def predict() -> None:
        outputs[:] = scenario.flat(net(*inputs))
        for output in outputs:
            output.wait_to_read()

    return Ready(predict, lambda: {f"output {k}": y.asnumpy() for k, y in enumerate(outputs)})


def training(kind: str, folder: str, workload: str) -> Ready:
    """Return Gluon that trains: forward, backward and the update of the parameters."""
    mx = importlib.import_module("mxnet" if kind == "mxnet" else "hybridlint.runtime")
    net, inputs = _net(mx, folder, workload)
    engine = {} if kind == "mxnet" else {"backend": kind}
    net.hybridize(static_alloc=True, static_shape=True, **engine)
    parameters = {n: p for n, p in net._collect_params_with_prefix().items() if p.grad_req != "null"}
    arrays = [parameter.list_data()[0] for parameter in parameters.values()]
    trainer = mx.gluon.Trainer(net.collect_params(), "sgd", dict(PACE)) if parameters else None
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

    def found() -> dict[str, Any]:
        if parameters:
            return {name: parameter.grad().asnumpy() for name, parameter in parameters.items()}
        return {f"input {k}": array.grad.asnumpy() for k, array in enumerate(inputs)}

    return Ready(train, found)


def _net(mx: Any, folder: str, workload: str) -> Any:
    """Return a block and its inputs: a workload, or what engines.py has written of a network."""
    if workload not in WORKLOADS:
        path = Path(folder, workload)
        net = mx.gluon.SymbolBlock.imports(f"{path}-symbol.json", ["data"], f"{path}-0000.params")
        return net, [mx.nd.array(x) for x in inputs_of(Path(folder), workload)]
    case = WORKLOADS[workload]
    return scenario.build(mx, case), [mx.nd.array(x) for x in case.inputs()]


def onnxruntime(kind: str, folder: str, workload: str) -> Ready:
    """Return ONNX Runtime that predicts, on a file that the bundled runtime has written."""
    mx = importlib.import_module("hybridlint.runtime")
    library = importlib.import_module(kind)
    net, inputs = _net(mx, folder, workload)
    net.hybridize()
    net(*inputs)
    with tempfile.TemporaryDirectory() as own:
        path = Path(own, "net")
        net.export(str(path))
        try:
            mx.onnx.export_model(
                f"{path}-symbol.json",
                f"{path}-0000.params",
                in_shapes=[x.shape for x in inputs],
                in_types="float32",
                onnx_file_path=f"{path}.onnx",
            )
        except AttributeError as error:
            raise UntranslatedError(str(error)) from error
        options = library.SessionOptions()
        options.intra_op_num_threads = int(os.environ["OMP_NUM_THREADS"])
        options.inter_op_num_threads = 1
        session = library.InferenceSession(f"{path}.onnx", options, providers=["CPUExecutionProvider"])
    given = dict(zip([one.name for one in session.get_inputs()], [x.asnumpy() for x in inputs]))  # noqa: B905
    outputs: list[Any] = []

    def predict() -> None:
        outputs[:] = session.run(None, given)

    return Ready(predict, lambda: {f"output {k}": y for k, y in enumerate(outputs)})


if __name__ == "__main__":
    KIND, FOLDER, *TRAIN = sys.argv[1:]
    MAKE = onnxruntime if KIND == "onnxruntime" else training if TRAIN == ["train"] else gluon
    serve(lambda workload: MAKE(KIND, FOLDER, workload))
