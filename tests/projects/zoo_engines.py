"""Run one model of gluoncv's zoo on several engines, and say how far each is from what it computes eagerly.

    PYTHON -m hybridlint run -m tests.projects.zoo_engines mobilenet1.0 [ENGINE ...]

prints one line of JSON: the largest distances of outputs, of gradients and of parameters after training steps on each
engine, or what was raised; and, as `moved`, those of an eager run whose parameters are moved by one rounding, which say
how much of a distance is the network's own. Without engines, all that are installed; `jit` is tried for each kind of
processor that this machine can play.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np

from hybridlint.runtime.compiled.engines import choice
from hybridlint.runtime.compiled.engines.jit.engine import JitEngine
from hybridlint.runtime.compiled.engines.jit.llvm import features, is_installed
from hybridlint.runtime.compiled.engines.jit.target import TARGETS, runs
from hybridlint.runtime.compiled.engines.onnx.session import is_installed as onnx_installed
from hybridlint.runtime.platforms.numpy_platform import NUMPY

from . import gluoncv_models
from .drawn import fill, leaves

mx: Any = importlib.import_module("mxnet")

MOVED = "moved"

#: Models that are trained for some steps: of each family of classifiers one that is small.
TRAINED = (
    r"^(cifar_(resnet20|resnext29_32x4d|wideresnet16)|mobilenet0.25|mobilenetv2_0.25|mobilenetv3_small$|squeezenet1.1"
    r"|shufflenet_v2|densenet121|resnet18_v2$|se_resnet18_v1|googlenet)"
)
_BATCH, _STEPS = 4, 3

#: What is smaller than this is nothing but rounding.
_SMALL = 1e-6


def engines() -> list[str]:
    """Return what this machine can run: engines, and for native code the kinds of processors."""
    targets = [target.name for target in TARGETS if runs(target, features())] if is_installed() else []
    return ["numpy", *(f"jit-{name}" for name in targets), *(["onnx"] if onnx_installed() else [])]


@contextmanager
def chosen(engine: str) -> Iterator[None]:
    """Have blocks and optimizers run on an engine; its native code is that of the kind of processor behind its name."""
    name, _, kind = engine.partition("-")
    target = next((target for target in TARGETS if target.name == kind), None)
    others = tuple(known for known in choice._ENGINES if known.name != name or target is None)
    mine = () if target is None else (JitEngine(NUMPY, choice.PLAIN, target),)
    with patch.object(choice, "_ENGINES", (*mine, *others)), patch.dict(os.environ, {choice.VARIABLE: name}):
        yield


def distance(found: Sequence[Any], wanted: Sequence[Any]) -> float:
    """Return how far arrays are apart: of each the norm of the difference by its own norm, the largest of these."""
    return max((_apart(a, b) for a, b in zip(found, wanted, strict=True)), default=0.0)


def _apart(found: Any, wanted: Any) -> float:
    if (found.shape, found.dtype) != (wanted.shape, wanted.dtype):
        return float("inf")
    if not wanted.size:
        return 0.0
    gap, size = (float(np.linalg.norm(x.astype("float64").ravel())) for x in (found - wanted, wanted))
    return gap / max(size, _SMALL)


class Model:
    """A model with the parameters of its name."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._inputs = [_image(*shape) for shape in gluoncv_models.inputs(name)]
        self._net = gluoncv_models.build(name)
        self._net.initialize(mx.init.Zero())
        self._net(*self._inputs)

    def predicted(self, *, hybridized: bool, moved: bool = False) -> list[Any]:
        """Return the outputs of a second call."""
        self._begin(hybridized=hybridized, moved=moved)
        self._net(*self._inputs)
        return _numbers(self._net(*self._inputs))

    def gradients(self, *, hybridized: bool, moved: bool = False) -> list[Any]:
        """Return the gradients of the weighted sum of all outputs, in prediction mode."""
        self._begin(hybridized=hybridized, moved=moved)
        with mx.autograd.record(train_mode=False):
            outputs = [y for y in leaves(self._net(*self._inputs)) if np.dtype(y.dtype).kind == "f"]
            total = sum((y * mx.nd.array(np.cos(np.arange(y.size)).reshape(y.shape))).sum() for y in outputs)
        total.backward()
        return [p.grad().asnumpy() for p in self._parameters() if p.grad_req != "null"]

    def trained(self, *, hybridized: bool, moved: bool = False) -> list[Any]:
        """Return the losses of some steps, then the parameters."""
        self._begin(hybridized=hybridized, moved=moved)
        (_, *rest), *_ = gluoncv_models.inputs(self._name)
        data, labels = _image(_BATCH, *rest), mx.nd.arange(_BATCH)
        loss_of = mx.gluon.loss.SoftmaxCrossEntropyLoss()
        trainer = mx.gluon.Trainer(self._net.collect_params(), "sgd", {"learning_rate": 1e-4, "momentum": 0.9})
        losses = []
        for _ in range(_STEPS):
            with mx.autograd.record():
                loss = loss_of(next(leaves(self._net(data))), labels)
            loss.backward()
            trainer.step(_BATCH)
            losses.append(loss.asnumpy())
        return [*losses, *(p.data().asnumpy() for p in self._parameters())]

    def _begin(self, *, hybridized: bool, moved: bool) -> None:
        fill(self._net, gluoncv_models.gain(self._name))
        if moved:
            for parameter in self._parameters():
                parameter.set_data(mx.nd.array(_moved(parameter.data().asnumpy())))
        mx.random.seed(7)
        self._net.hybridize(hybridized)

    def _parameters(self) -> list[Any]:
        return [parameter for _, parameter in sorted(self._net._collect_params_with_prefix().items())]


def _image(*shape: int) -> Any:
    """Return numbers as large as those of a normalized image: where they are small, maxima of neighbours are ties."""
    return mx.nd.array(np.random.default_rng(3).standard_normal(shape, "float32"))


def _moved(numbers: Any) -> Any:
    """Return numbers moved to a neighbour of theirs, up or down."""
    up = np.random.default_rng(numbers.size).integers(2, size=numbers.shape)
    return np.nextafter(numbers, np.where(up, np.inf, -np.inf).astype(numbers.dtype))


def _numbers(outputs: Any) -> list[Any]:
    return [array.asnumpy() for array in leaves(outputs)]


def measured(name: str, compared: Sequence[str]) -> dict[str, Any]:
    """Return what is printed of a model."""
    model = Model(name)
    ways = {"outputs": model.predicted, "gradients": model.gradients}
    if re.search(TRAINED, name):
        ways["steps"] = model.trained
    found: dict[str, Any] = {}
    for way, run in ways.items():
        wanted = _tried(run, hybridized=False)
        told = {MOVED: _told(_tried(run, hybridized=False, moved=True), wanted)}
        for engine in compared:
            with chosen(engine):
                numbers = _tried(run, hybridized=True)
            told[engine] = _told(numbers, wanted)
        found[way] = told
    return found


def _tried(run: Callable[..., list[Any]], *, hybridized: bool, moved: bool = False) -> list[Any] | str:
    """Return what a way gives, or the error that it raises."""
    try:
        return run(hybridized=hybridized, moved=moved)
    except Exception as error:
        return f"{type(error).__name__}: {error}"


def _told(found: list[Any] | str, wanted: list[Any] | str) -> float | str:
    """Return how far what an engine gives is from the eager run: 0 where both fail alike."""
    if isinstance(wanted, str):
        return 0.0 if found == wanted else f"eager: {wanted}"
    return found if isinstance(found, str) else float(f"{distance(found, wanted):.2g}")


if __name__ == "__main__":
    print(json.dumps(measured(sys.argv[1], sys.argv[2:] or engines())))
