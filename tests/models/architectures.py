"""Whole models written from Gluon layers, over any module with MXNet's interface.

Both interpreters run this file, so it stays within Python 3.8.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Case:
    """A model to measure: how it is built, its inputs (integers below a bound, or numbers), and how it is trained.

    `classes` belong to the last axis of the first output. `pace` scales the learning rates: with many rectifiers at
    full pace the real library strays by percents from itself where a float32 parameter changes in its last bit.

    `dtype` is what gradients and trainings are judged in. A rectifier or a maximum has a kink, beside which the last
    digit of a sum decides about a gradient, and that digit is another one on each processor. Of ten thousand sums a few
    are as near to a kink as float32 strays, and none as near as float64 does. Gradients of models without `kinks` stray
    no farther than outputs, in float32 too.
    """

    build: Callable[[Any], Any]
    shapes: Sequence[Sequence[int]]
    bounds: Sequence[int]
    classes: int
    pace: float = 1.0
    kinks: bool = False
    dtype: str = "float64"

    def inputs(self, seed: int = 0) -> list[Any]:
        """Draw one batch of inputs."""
        generator = np.random.RandomState(seed)
        drawn = []
        for shape, bound in zip(self.shapes, self.bounds):  # noqa: B905 - Python 3.8 has no strict
            values = generator.randint(0, bound, shape) if bound else generator.normal(size=shape)
            drawn.append(values.astype("float32"))
        return drawn


def lenet(mx: Any) -> Any:
    """Two convolutions with pooling, three dense layers."""
    nn = mx.gluon.nn
    net = nn.HybridSequential(prefix="lenet_")
    with net.name_scope():
        net.add(
            nn.Conv2D(6, kernel_size=5, padding=2, activation="tanh"),
            nn.AvgPool2D(2, 2),
            nn.Conv2D(16, kernel_size=5, activation="relu"),
            nn.MaxPool2D(2, 2),
            nn.Flatten(),
            nn.Dense(120, activation="relu"),
            nn.Dropout(0.0),
            nn.Dense(84, activation="sigmoid"),
            nn.Dense(10),
        )
    return net


def resnet18(mx: Any, width: int = 64) -> Any:
    """Eight residual blocks of two convolutions in four stages; `width` is the channels of the first stage."""
    nn = mx.gluon.nn

    class Residual(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, channels: int, stride: int, reshapes: bool, prefix: str) -> None:
            super().__init__(prefix=prefix)
            with self.name_scope():
                self.body = nn.HybridSequential(prefix="")
                self.body.add(
                    nn.Conv2D(channels, 3, strides=stride, padding=1, use_bias=False),
                    nn.BatchNorm(),
                    nn.Activation("relu"),
                    nn.Conv2D(channels, 3, padding=1, use_bias=False),
                    nn.BatchNorm(),
                )
                self.shortcut = None
                if reshapes:
                    self.shortcut = nn.HybridSequential(prefix="down_")
                    self.shortcut.add(nn.Conv2D(channels, 1, strides=stride, use_bias=False), nn.BatchNorm())

        def hybrid_forward(self, F: Any, x: Any) -> Any:
            y = self.body(x)
            return F.Activation(y + (self.shortcut(x) if self.shortcut else x), act_type="relu")

    net = nn.HybridSequential(prefix="resnet_")
    with net.name_scope():
        net.add(
            nn.Conv2D(width, 7, 2, 3, use_bias=False),
            nn.BatchNorm(),
            nn.Activation("relu"),
            nn.MaxPool2D(3, 2, 1),
        )
        for stage in range(4):
            for k in range(2):
                first = stage > 0 and k == 0
                net.add(Residual(width << stage, 2 if first else 1, first, f"stage{stage}{k}_"))
        net.add(nn.GlobalAvgPool2D(), nn.Flatten(), nn.Dense(10))
    return net


def fused_language_model(mx: Any, words: int = 40, units: int = 16) -> Any:
    """Embedding, a bidirectional LSTM of two layers, and a decoder; takes words (T, N) and the two first states."""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    class LanguageModel(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(prefix="lm_")
            with self.name_scope():
                self.embedding = nn.Embedding(words, units)
                self.lstm = rnn.LSTM(units, num_layers=2, bidirectional=True)
                self.dropout = nn.Dropout(0.0)
                self.decoder = nn.Dense(words, flatten=False)

        def hybrid_forward(self, F: Any, tokens: Any, hidden: Any, cell: Any) -> Any:
            outputs, states = self.lstm(self.embedding(tokens), [hidden, cell])
            return self.decoder(self.dropout(outputs)), states

    return LanguageModel()


def cell_language_model(mx: Any, words: int = 40, units: int = 16, steps: int = 7) -> Any:
    """The same of cells, unrolled over words (N, T)."""
    nn, rnn = mx.gluon.nn, mx.gluon.rnn

    class LanguageModel(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(prefix="cells_")
            with self.name_scope():
                self.embedding = nn.Embedding(words, units)
                self.stack = rnn.HybridSequentialRNNCell()
                for _ in range(2):
                    self.stack.add(rnn.BidirectionalCell(rnn.LSTMCell(units), rnn.LSTMCell(units)))
                self.decoder = nn.Dense(words, flatten=False)

        def hybrid_forward(self, F: Any, tokens: Any) -> Any:
            outputs, _ = self.stack.unroll(steps, self.embedding(tokens), layout="NTC", merge_outputs=True)
            return self.decoder(outputs)

    return LanguageModel()


def transformer(mx: Any, words: int = 40, units: int = 32, heads: int = 4, layers: int = 2) -> Any:
    """An encoder of words (N, T) with a mask (N, T): learned positions, multi-head attention, feed-forward layers."""
    nn = mx.gluon.nn

    class Attention(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, prefix: str) -> None:
            super().__init__(prefix=prefix)
            with self.name_scope():
                self.query = nn.Dense(units, flatten=False, use_bias=False)
                self.key = nn.Dense(units, flatten=False, use_bias=False)
                self.value = nn.Dense(units, flatten=False)
                self.project = nn.Dense(units, flatten=False)
                self.dropout = nn.Dropout(0.0)

        def _split(self, F: Any, x: Any) -> Any:
            x = F.transpose(F.reshape(x, shape=(0, 0, heads, -1)), axes=(0, 2, 1, 3))
            return F.reshape(x, shape=(-3, 0, 0))

        def hybrid_forward(self, F: Any, x: Any, mask: Any) -> Any:
            query, key, value = (self._split(F, layer(x)) for layer in (self.query, self.key, self.value))
            scores = F.batch_dot(query / math.sqrt(units / heads), key, transpose_b=True)
            hidden = F.reshape((1 - mask) * -1e9, shape=(0, 1, 1, -1))
            scores = F.broadcast_add(F.reshape(scores, shape=(-4, -1, heads, 0, 0)), hidden)
            weights = self.dropout(F.softmax(F.reshape(scores, shape=(-3, 0, 0)), axis=-1))
            mixed = F.reshape(F.batch_dot(weights, value), shape=(-4, -1, heads, 0, 0))
            return self.project(F.reshape(F.transpose(mixed, axes=(0, 2, 1, 3)), shape=(0, 0, -3)))

    class Layer(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self, prefix: str) -> None:
            super().__init__(prefix=prefix)
            with self.name_scope():
                self.attention = Attention("attention_")
                self.before, self.after = nn.LayerNorm(), nn.LayerNorm()
                self.feed = nn.HybridSequential(prefix="feed_")
                with self.feed.name_scope():
                    self.feed.add(nn.Dense(4 * units, flatten=False), nn.GELU(), nn.Dense(units, flatten=False))

        def hybrid_forward(self, F: Any, x: Any, mask: Any) -> Any:
            x = self.before(x + self.attention(x, mask))
            return self.after(x + self.feed(x))

    class Encoder(mx.gluon.HybridBlock):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__(prefix="encoder_")
            with self.name_scope():
                self.embedding = nn.Embedding(words, units)
                self.positions = nn.Embedding(64, units)
                self.layers = [Layer(f"layer{k}_") for k in range(layers)]
                for layer in self.layers:
                    self.register_child(layer)
                self.decoder = nn.Dense(words, flatten=False)

        def hybrid_forward(self, F: Any, tokens: Any, mask: Any) -> Any:
            places = self.positions(F.contrib.arange_like(tokens, axis=1))
            x = F.broadcast_add(self.embedding(tokens) * math.sqrt(units), F.expand_dims(places, axis=0))
            for layer in self.layers:
                x = layer(x, mask)
            return self.decoder(x)

    return Encoder()


CASES = {
    "lenet": Case(lenet, [(4, 1, 28, 28)], [0], 10, kinks=True),
    "resnet18": Case(lambda mx: resnet18(mx, width=8), [(4, 3, 64, 64)], [0], 10, pace=0.004, kinks=True),
    "lstm": Case(fused_language_model, [(7, 3), (4, 3, 16), (4, 3, 16)], [40, 0, 0], 40),
    # The states that `unroll` begins with are float32 whatever the block has been cast to.
    "cells": Case(cell_language_model, [(3, 7)], [40], 40, dtype="float32"),
    "transformer": Case(transformer, [(3, 9), (3, 9)], [40, 2], 40),
}
