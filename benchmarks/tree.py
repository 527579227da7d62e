"""A synthetic project of any size: packages of modules, a quarter of them with blocks that share bases and helpers."""

from __future__ import annotations

from pathlib import Path

_IN_A_PACKAGE = 40
_HYBRID_EVERY = 4

_BASE = '''\
"""What the blocks of this package have in common."""
from mxnet import gluon


class Base(gluon.HybridBlock):
    """A block with a width."""

    def __init__(self, width, **kwargs):
        super().__init__(**kwargs)
        self.width = width


def gate(F, x, y):
    """Return x where y lets it pass."""
    return F.broadcast_mul(x, F.sigmoid(y))
'''

_BLOCK = '''\
"""Blocks number {number}."""
from mxnet.gluon import nn

from .base import Base, gate
{neighbour}

class Layer{number}(Base):
    """A stack of layers, and a gate over them."""

    def __init__(self, width={width}, depth=3, **kwargs):
        super().__init__(width, **kwargs)
        with self.name_scope():
            self.body = nn.HybridSequential()
            for i in range(depth):
                self.body.add(nn.Conv2D(width, kernel_size=3, padding=1))
                self.body.add(nn.BatchNorm())
                self.body.add(nn.Activation('relu'))
            self.head = nn.Dense(width, flatten=False)

    def hybrid_forward(self, F, x, scale=None):
        """Return the features of x."""
        features = self.body(x)
        if scale is not None:
            features = F.broadcast_mul(features, scale)
        for axis in (2, 3):
            features = F.mean(features, axis=axis, keepdims=True)
        out = gate(F, features, self.head(features))
        return {result}
'''

_PLAIN = '''\
"""Functions number {number}."""
import os
from collections import defaultdict


def count(path):
    """Count the words of a file."""
    found = defaultdict(int)
    with open(path) as stream:
        for line in stream:
            for word in line.split():
                found[word.lower()] += 1
    return dict(found)


class Table:
    """Rows that are read from files of a folder."""

    def __init__(self, folder):
        self.rows = [count(os.path.join(folder, name)) for name in sorted(os.listdir(folder))]

    def total(self, word={number}):
        """Return how often a word was met."""
        return sum(row.get(str(word), 0) for row in self.rows)
'''


def write_tree(folder: Path, files: int) -> None:
    """Write a project with that many modules, ``__init__.py`` and base modules among them."""
    for number in range(files):
        package = folder / f"package{number // _IN_A_PACKAGE}"
        place = number % _IN_A_PACKAGE
        if place == 0:
            package.mkdir(parents=True)
            (package / "__init__.py").write_text("", encoding="utf-8")
        elif place == 1:
            (package / "base.py").write_text(_BASE, encoding="utf-8")
        elif place % _HYBRID_EVERY == 0:
            (package / f"block{place}.py").write_text(_block(number, place), encoding="utf-8")
        else:
            (package / f"plain{place}.py").write_text(_PLAIN.format(number=number), encoding="utf-8")


def _block(number: int, place: int) -> str:
    """Return a module of blocks: every other one uses its neighbour's, every fifth has a mistake."""
    before = place - _HYBRID_EVERY
    uses = before > 0 and place % (2 * _HYBRID_EVERY) == 0
    neighbour = f"from .block{before} import Layer{number - _HYBRID_EVERY}  # noqa: F401\n" if uses else ""
    result = "out[0]" if number % (5 * _HYBRID_EVERY) == 0 else "out"
    return _BLOCK.format(number=number, neighbour=neighbour, width=8 * (place + 1), result=result)
