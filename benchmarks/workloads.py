"""Eight workloads on which engines are compared. All interpreters run this file, so it stays within Python 3.8."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.models.architectures import Case, resnet18


def mlp(mx: Any) -> Any:
    """Return three dense layers."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Dense(256, activation="relu"), nn.Dense(128, activation="relu"), nn.Dense(2))
    return net


def lenet(mx: Any) -> Any:
    """Return LeNet for pictures of 28 times 28."""
    nn = mx.gluon.nn
    net = nn.HybridSequential()
    net.add(nn.Conv2D(6, 5, activation="relu"), nn.MaxPool2D(2, 2))
    net.add(nn.Conv2D(16, 5, activation="relu"), nn.MaxPool2D(2, 2))
    net.add(nn.Flatten(), nn.Dense(120, activation="relu"), nn.Dense(84, activation="relu"), nn.Dense(10))
    return net


def elementwise(mx: Any) -> Any:
    """Return a chain of functions of elements."""

    class Chain(mx.gluon.HybridBlock):  # type: ignore[misc]
        def hybrid_forward(self, F: Any, x: Any, y: Any) -> Any:
            gate = F.sigmoid(x * y + x) * F.tanh(x - y) + F.exp(-x * x) * 0.5
            return (gate - F.relu(y) * x + F.sqrt(F.abs(x) + 1) + 1) * 2

    return Chain()


def attention_block(mx: Any, batch: int = 8, time: int = 128, heads: int = 4, size: int = 64) -> Any:
    """Return a block of a transformer: attention and two dense layers, each behind a normalization."""
    nn, width = mx.gluon.nn, heads * size

    class Block(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(prefix="block_")
            with self.name_scope():
                self.before = nn.LayerNorm(in_channels=width)
                self.project = nn.Dense(3 * width, flatten=False, in_units=width)
                self.out = nn.Dense(width, flatten=False, in_units=width)
                self.between = nn.LayerNorm(in_channels=width)
                self.wide = nn.Dense(4 * width, flatten=False, in_units=width)
                self.gelu = nn.GELU()
                self.narrow = nn.Dense(width, flatten=False, in_units=4 * width)

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            split = self.project(self.before(x)).reshape((batch, time, 3, heads, size)).transpose((2, 0, 3, 1, 4))
            parts = F.split(split.reshape((3, batch * heads, time, size)), 3, axis=0, squeeze_axis=True)
            scores = F.softmax(F.batch_dot(parts[0], parts[1], transpose_b=True) / size**0.5)
            heard = F.batch_dot(scores, parts[2]).reshape((batch, heads, time, size)).transpose((0, 2, 1, 3))
            x = x + self.out(heard.reshape((batch, time, width)))
            return x + self.narrow(self.gelu(self.wide(self.between(x))))

    return Block()


def lstm(mx: Any) -> Any:
    """Return a fused LSTM layer that takes its first states."""

    class Layer(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(prefix="layer_")
            with self.name_scope():
                self.lstm = mx.gluon.rnn.LSTM(200, input_size=200)

        def hybrid_forward(self, F: Any, x: Any, hidden: Any, cell: Any) -> Any:
            return self.lstm(x, [hidden, cell])[0]

    return Layer()


def cells(mx: Any) -> Any:
    """Return the same layer as a cell that is unrolled: a graph of single steps."""

    class Unrolled(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(prefix="unrolled_")
            with self.name_scope():
                self.cell = mx.gluon.rnn.LSTMCell(200, input_size=200)

        def hybrid_forward(self, F: Any, x: Any, hidden: Any, cell: Any) -> Any:
            return self.cell.unroll(35, x, [hidden, cell], layout="TNC", merge_outputs=True)[0]

    return Unrolled()


def _case(build: Callable[[Any], Any], *shapes: tuple[int, ...]) -> Case:
    return Case(build, shapes, [0] * len(shapes), 2)


WORKLOADS = {
    "mlp-1": _case(mlp, (1, 512)),
    "mlp-64": _case(mlp, (64, 512)),
    "lenet-16": _case(lenet, (16, 1, 28, 28)),
    "elementwise": _case(elementwise, (1024, 1024), (1024, 1024)),
    "resnet18-1": _case(resnet18, (1, 3, 224, 224)),
    "attention": _case(attention_block, (8, 128, 256)),
    "lstm-35": _case(lstm, (35, 32, 200), (1, 32, 200), (1, 32, 200)),
    "cells-35": _case(cells, (35, 32, 200), (32, 200), (32, 200)),
}
