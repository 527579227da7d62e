"""Build one model by name, with parameters and inputs that a seed decides, and say what it gives in each mode.

    PYTHON -m hybridlint run -m tests.projects.zoo mobilenet1.0 FOLDER
    PYTHON_WITH_MXNET -m tests.projects.zoo mobilenet1.0 FOLDER [OTHER_FOLDER]

prints one line of JSON and leaves the exported model in a folder; with another folder, the model that was exported
there is read as well. Without arguments it prints the names. Both interpreters run this file, so it stays within
Python 3.8.
"""

from __future__ import annotations

import importlib
import json
import resource
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

from . import gluoncv_models
from .drawn import fill, image, summary

mx: Any = importlib.import_module("mxnet")

#: No model takes so many bytes of addresses, unless something is wrong.
_LIMIT = 16 << 30


class StageError(Exception):
    """A stage of a measurement has failed; the answer says how."""


class Measurement:
    """What a model gives, stage by stage; `answer` can be written as JSON."""

    def __init__(self, name: str) -> None:
        self.answer: dict[str, Any] = {"model": name, "seconds": {}}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Take a stage's seconds on the processor, until all of it is computed. Raises StageError, and keeps why."""
        begin = time.process_time()
        try:
            yield
            mx.nd.waitall()
        except Exception as error:
            self.answer.update(failed=name, error=f"{type(error).__name__}: {error}")
            raise StageError(name) from error
        self.answer["seconds"][name] = round(time.process_time() - begin, 3)

    def call(self, name: str, net: Any, inputs: list[Any], times: int = 1) -> None:
        """Keep the outputs of a network; the time is that of the last call."""
        for _ in range(times):
            with self.stage(name):
                outputs = net(*inputs)
        self.answer[name] = summary(outputs)

    def imported(self, name: str, folder: str, inputs: list[Any]) -> None:
        """Keep the outputs of the model that was exported to a folder."""
        names = ["data"] if len(inputs) == 1 else [f"data{place}" for place in range(len(inputs))]
        files = f"{folder}/model-symbol.json", names, f"{folder}/model-0000.params"
        with self.stage(name):
            net = mx.gluon.SymbolBlock.imports(*files)
        self.call(name, net, inputs)

    def run(self, folder: str, other: str | None) -> None:
        """Build the model, and call it eagerly, hybridized and imported. Raises StageError at the first that fails."""
        name = self.answer["model"]
        shapes = gluoncv_models.inputs(name)
        inputs = [image(*shape) for shape in shapes]
        self.answer["inputs"] = shapes
        with self.stage("build"):
            net = gluoncv_models.build(name)
            _forget_initializers(net)
            net.initialize(mx.init.Zero())
        with self.stage("infer"):
            net(*inputs)
            # Arrays that were used may be laid out otherwise, and MXNet cannot write into all of those.
            net.initialize(mx.init.Zero(), force_reinit=True)
        fill(net, gluoncv_models.gain(name))
        self.answer["parameters"] = sum(parameter.data().size for parameter in net.collect_params().values())
        self.call("eager", net, inputs)
        net.hybridize()
        self.call("hybridized", net, inputs, times=2)
        self.answer["megabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        with self.stage("export"):
            net.export(f"{folder}/model")
        self.imported("imported", folder, inputs)
        if other:
            self.imported("exchanged", other, inputs)


def _forget_initializers(net: Any) -> None:
    """Leave parameters to the default: to draw numbers that are replaced takes minutes for the largest."""
    for parameter in net.collect_params().values():
        if not isinstance(parameter, mx.gluon.Constant):
            parameter.init = None


def main(name: str = "", folder: str = "", other: str | None = None) -> None:
    """Print what a model gives, or the stage at which it fails; without a name, the names that there are."""
    if not name:
        print(json.dumps(gluoncv_models.names()))
        return
    resource.setrlimit(resource.RLIMIT_AS, (_LIMIT, _LIMIT))
    measurement = Measurement(name)
    with suppress(StageError):
        measurement.run(folder, other)
    print(json.dumps(measurement.answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
