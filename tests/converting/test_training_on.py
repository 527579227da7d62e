"""Training goes on in PyTorch from a checkpoint of Gluon, with the losses that Gluon has."""

from __future__ import annotations

import importlib.util
import json
import types
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hybridlint.converting.reading import with_reader
from hybridlint.runtime import autograd, gluon, nd
from tests.converting.bodies import converted

pytestmark = pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="PyTorch is not installed")

_STEPS, _RATE = 3, 0.05
#: Checkpoints that MXNet 1.9.1 wrote after three steps from its own initial values, and its losses in the next ones.
CHECKPOINTS = Path(__file__).parent / "checkpoints"

LENET = """
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.features = nn.HybridSequential()
            self.features.add(nn.Conv2D(4, 5, activation="relu", in_channels=1))
            self.features.add(nn.MaxPool2D(2, 2))
            self.features.add(nn.Conv2D(6, 3, activation="relu", in_channels=4))
            self.features.add(nn.MaxPool2D(2, 2), nn.Flatten())
            self.features.add(nn.Dense(16, activation="relu", in_units=24))
            self.output = nn.Dense(5, in_units=16)

    def hybrid_forward(self, F, x):
        return self.output(self.features(x))
"""

LSTM = """
from mxnet.gluon import nn, rnn


class Net(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.words = nn.Embedding(11, 6)
            self.lstm = rnn.LSTM(7, num_layers=2, layout="NTC", input_size=6)
            self.output = nn.Dense(5, in_units=7)

    def hybrid_forward(self, F, x):
        states = self.lstm(self.words(x))
        return self.output(F.slice_axis(states, axis=1, begin=-1, end=None).flatten())
"""

SSD = """
from mxnet.gluon import nn


class Net(nn.HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            self.body.add(nn.Conv2D(6, 3, strides=2, padding=1, in_channels=3), nn.BatchNorm(in_channels=6))
            self.body.add(nn.Activation("relu"), nn.MaxPool2D(2, 2))
            self.classes = nn.Conv2D(3 * 3, 3, padding=1, in_channels=6)
            self.boxes = nn.Conv2D(3 * 4, 3, padding=1, in_channels=6)

    def hybrid_forward(self, F, x, y):
        x = self.body(x)
        anchors = F.contrib.MultiBoxPrior(x, sizes=(0.4, 0.7), ratios=(1, 2))
        scores = self.classes(x).transpose((0, 2, 3, 1)).reshape((0, -1, 3))
        moves = self.boxes(x).transpose((0, 2, 3, 1)).flatten()
        wanted, mask, labels = F.contrib.MultiBoxTarget(
            anchors, y, scores.transpose((0, 2, 1)), negative_mining_ratio=3.0
        )
        kept = labels >= 0
        picked = F.pick(F.log_softmax(scores), F.maximum(labels, 0))
        return F.mean(-picked * kept) + F.mean(F.smooth_l1((moves - wanted) * mask, scalar=1.0))
"""


def _images(*shape: int) -> Any:
    return np.random.RandomState(3).uniform(-1, 1, shape).astype("float32")


def _objects() -> Any:
    return np.array(
        [[[0, 0.1, 0.1, 0.5, 0.6], [1, 0.4, 0.3, 0.9, 0.8]], [[1, 0.2, 0.2, 0.7, 0.9], [-1, -1, -1, -1, -1]]], "float32"
    )


NETWORKS: dict[str, tuple[str, Callable[[], list[Any]], bool]] = {
    "LeNet": (LENET, lambda: [_images(6, 1, 16, 16)], True),
    "LSTM": (LSTM, lambda: [np.arange(24).reshape(6, 4) % 11], True),
    "SSD": (SSD, lambda: [_images(2, 3, 16, 16), _objects()], False),
}


def _module(text: str) -> types.ModuleType:
    module = types.ModuleType("module")
    exec(text, module.__dict__)
    return module


def _gluon_losses(net: Any, inputs: list[Any], *, classifies: bool) -> Iterator[float]:
    trainer = gluon.Trainer(net.collect_params(), "sgd", {"learning_rate": _RATE})
    loss_of = gluon.loss.SoftmaxCrossEntropyLoss()
    arrays, labels = list(map(nd.array, inputs)), nd.arange(len(inputs[0])) % 5
    for _ in range(_STEPS):
        with autograd.record():
            loss = loss_of(net(*arrays), labels).mean() if classifies else net(*arrays)
        loss.backward()
        trainer.step(1)
        yield float(loss.asscalar())


def _torch_losses(net: Any, inputs: list[Any], steps: int = _STEPS, *, classifies: bool) -> Iterator[float]:
    import torch

    optimizer = torch.optim.SGD(net.parameters(), lr=_RATE)
    arrays, labels = list(map(torch.from_numpy, inputs)), torch.arange(len(inputs[0])) % 5
    net.train()
    for _ in range(steps):
        loss = torch.nn.CrossEntropyLoss()(net(*arrays), labels) if classifies else net(*arrays)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        yield float(loss.item())


@pytest.mark.parametrize("name", NETWORKS)
def test_training_goes_on_with_the_same_losses(name: str, tmp_path: Path) -> None:
    text, draw, classifies = NETWORKS[name]
    inputs = draw()
    net = _module(text.replace("from mxnet", "from hybridlint.runtime")).Net()
    net.initialize()
    list(_gluon_losses(net, inputs, classifies=classifies))
    path = tmp_path / "net.params"
    net.save_parameters(str(path))
    expected = list(_gluon_losses(net, inputs, classifies=classifies))
    module = converted(text)
    assert not module.problems
    new = _module(with_reader(module.text))
    twin = new.Net()
    new.load_gluon(twin, str(path))
    np.testing.assert_allclose(list(_torch_losses(twin, inputs, classifies=classifies)), expected, rtol=2e-4)


@pytest.mark.parametrize("name", NETWORKS)
def test_training_goes_on_from_checkpoints_of_mxnet(name: str) -> None:
    text, draw, classifies = NETWORKS[name]
    expected = json.loads((CHECKPOINTS / "losses.json").read_text("utf-8"))[name]
    new = _module(with_reader(converted(text).text))
    net = new.Net()
    new.load_gluon(net, str(CHECKPOINTS / f"{name.lower()}.params"))
    losses = list(_torch_losses(net, draw(), len(expected), classifies=classifies))
    np.testing.assert_allclose(losses, expected, rtol=2e-4)
