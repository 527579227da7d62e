"""What is trained: LeNet, a language model of LSTMs, a small single-shot detector, on data that a seed decides.

A few dense layers stand beside them, whose files are small enough to be kept.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Dict  # noqa: UP035 - Python 3.8 has no others that are evaluated

import numpy as np

from tests.models import architectures

#: Batches that are gone through in turn.
BATCHES = 4


@dataclass(frozen=True)
class Task:
    """A model, its batches (arrays that a generator draws: the first `inputs` go in), and its loss.

    `dtype` is what its curve is judged in: float64, where no sum is as near to the kink of a rectifier as it strays.
    """

    build: Callable[[Any], Any]
    batch: Callable[[Any], Any]
    inputs: int
    loss: Callable[..., Any]
    optimizers: Dict[str, Dict[str, Any]]  # noqa: UP006
    dtype: str = "float64"

    def batches(self, mx: Any) -> list[list[Any]]:
        """Return the batches as arrays of MXNet."""
        generator = np.random.RandomState(7)
        return [[mx.nd.array(part) for part in self.batch(generator)] for _ in range(BATCHES)]


def _digits(generator: Any) -> list[Any]:
    """Draw images (16, 1, 28, 28): noise, and a bar whose place is the class."""
    labels = generator.randint(0, 10, 16)
    images = generator.uniform(0, 0.5, (16, 1, 28, 28))
    for image, label in zip(images, labels):  # noqa: B905 - Python 3.8 has no strict
        image[0, 4 + 2 * label : 6 + 2 * label, 4:24] += 1
    return [images, labels]


def _classified(mx: Any, outputs: Any, labels: Any) -> Any:
    return mx.gluon.loss.SoftmaxCrossEntropyLoss()(outputs, labels)


def _sentences(generator: Any) -> list[Any]:
    """Draw words (12, 6), each of which follows from the one before, first states, and the next words."""
    words = np.empty((13, 6), int)
    words[0] = generator.randint(0, 40, 6)
    for step in range(12):
        words[step + 1] = (words[step] * 3 + generator.randint(0, 2, 6)) % 40
    return [words[:-1], np.zeros((4, 6, 16)), np.zeros((4, 6, 16)), words[1:]]


def _next_words(mx: Any, outputs: Any, words: Any) -> Any:
    return mx.gluon.loss.SoftmaxCrossEntropyLoss(batch_axis=1)(outputs[0], words)


def _scenes(generator: Any) -> list[Any]:
    """Draw images (8, 3, 32, 32) with one box of one of two colours each, and labels (8, 1, 5)."""
    images = generator.uniform(0, 0.3, (8, 3, 32, 32))
    labels = np.empty((8, 1, 5))
    for image, label in zip(images, labels):  # noqa: B905
        kind = generator.randint(0, 2)
        left, top = generator.randint(0, 16, 2)
        width, height = generator.randint(8, 16, 2)
        image[kind, top : top + height, left : left + width] += 1
        label[0] = kind, left / 32, top / 32, (left + width) / 32, (top + height) / 32
    return [images, labels]


def _ssd(mx: Any) -> Any:
    nn = mx.gluon.nn
    sizes, ratios = [(0.2, 0.35), (0.4, 0.55), (0.7, 0.85)], (1, 2, 0.5)
    anchors, classes = len(sizes[0]) + len(ratios) - 1, 2

    def halving(*channels: int) -> Any:
        block = nn.HybridSequential(prefix="")
        for width in channels:
            block.add(nn.Conv2D(width, 3, padding=1), nn.BatchNorm(), nn.Activation("relu"), nn.MaxPool2D(2))
        return block

    class Detector(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(prefix="ssd_")
            with self.name_scope():
                self.stages = nn.HybridSequential(prefix="stages_")
                self.kinds = nn.HybridSequential(prefix="kinds_")
                self.places = nn.HybridSequential(prefix="places_")
                for widths in (8, 16), (16,), (16,):
                    with self.stages.name_scope():
                        self.stages.add(halving(*widths))
                    with self.kinds.name_scope():
                        self.kinds.add(nn.Conv2D(anchors * (classes + 1), 3, padding=1))
                    with self.places.name_scope():
                        self.places.add(nn.Conv2D(anchors * 4, 3, padding=1))

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            boxes, kinds, places = [], [], []
            for scale, stage, kind, place in zip(sizes, self.stages, self.kinds, self.places):  # noqa: B905
                x = stage(x)
                boxes.append(F.contrib.MultiBoxPrior(x, sizes=scale, ratios=ratios).reshape((0, -1)))
                kinds.append(F.flatten(F.transpose(kind(x), axes=(0, 2, 3, 1))))
                places.append(F.flatten(F.transpose(place(x), axes=(0, 2, 3, 1))))
            kinds_of_all = F.concat(*kinds, dim=1).reshape((0, -1, classes + 1))
            return F.concat(*boxes, dim=1).reshape((0, -1, 4)), kinds_of_all, F.concat(*places, dim=1)

    return Detector()


def _detected(mx: Any, outputs: Any, labels: Any) -> Any:
    boxes, kinds, places = outputs
    with mx.autograd.pause():
        wanted, mask, wanted_kinds = mx.nd.contrib.MultiBoxTarget(
            boxes, labels, kinds.transpose((0, 2, 1)), negative_mining_ratio=3, negative_mining_thresh=0.5
        )
    # What is neither near a box nor among the hardest others does not count.
    counted = (wanted_kinds >= 0).expand_dims(axis=2)
    classified = mx.gluon.loss.SoftmaxCrossEntropyLoss()(kinds, mx.nd.relu(wanted_kinds), counted)
    return classified + mx.gluon.loss.HuberLoss()(places * mask, wanted * mask)


def _dense(mx: Any) -> Any:
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="dense_")
    with net.name_scope():
        net.add(nn.Dense(5, activation="tanh"), nn.BatchNorm(), nn.Dense(3))
    return net


def _points(generator: Any) -> list[Any]:
    points = generator.normal(size=(6, 4))
    return [points, (points[:, 0] > 0).astype(int) + (points[:, 1] > 0)]


def _pair(sgd: float, adam: float) -> dict[str, dict[str, Any]]:
    momentum = {"learning_rate": sgd, "momentum": 0.9, "wd": 1e-4}
    return {"sgd": momentum, "adam": {"learning_rate": adam}}


TASKS: Dict[str, Task] = {  # noqa: UP006
    "lenet": Task(architectures.lenet, _digits, 1, _classified, _pair(0.01, 0.001)),
    "lstm": Task(architectures.fused_language_model, _sentences, 3, _next_words, _pair(0.2, 0.0025)),
    "dense": Task(_dense, _points, 1, _classified, _pair(0.02, 0.01)),
    # MXNet draws boxes in float32 alone. A sum on the other side of a kink moves one of thousands of gradients.
    "ssd": Task(_ssd, _scenes, 1, _detected, _pair(0.01, 0.002), dtype="float32"),
}
