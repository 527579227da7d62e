"""Networks that functions build, and containers that methods make."""

from __future__ import annotations

from pathlib import Path

from hybridlint.hybridizing.files import Hybridizing
from hybridlint.hybridizing.outcome import ConversionStatus
from hybridlint.text.source import SourceFile
from tests.hybridizing.pipeline import PIPELINE

NETWORKS = """\
from mxnet.gluon import Block, nn


def network(units=8):
    net = nn.Sequential()
    with net.name_scope():
        net.add(nn.Dense(units, activation="relu"))
        net.add(nn.Dense(2))
    return net


def tower(units):
    body = nn.Sequential(prefix="tower_")
    body.add(nn.Dense(units), nn.Dropout(0.5))
    return body


class Two(Block):
    def __init__(self, units=4, **kwargs):
        super().__init__(**kwargs)
        self.left = tower(units)
        self.right = tower(units)
        self.inner = self._made()

    def _made(self):
        encoder = nn.Sequential()  # one layer is enough
        encoder.add(nn.Dense(3))
        return encoder

    def forward(self, x):
        return self.inner(self.left(x) + self.right(x))
"""


def test_all_become_hybrid(tmp_path: Path) -> None:
    path = tmp_path / "networks.py"
    path.write_text(NETWORKS, encoding="utf-8")
    [done] = Hybridizing(PIPELINE).of_files([SourceFile.read(path)], {})
    assert {o.block: o.status for o in done.outcomes} == dict.fromkeys(
        ["network", "tower", "Two"], ConversionStatus.PROVED
    )
    expected = NETWORKS.replace("nn.Sequential", "nn.HybridSequential").replace("Block", "HybridBlock")
    expected = expected.replace("def forward(self, x)", "def hybrid_forward(self, F, x)")
    assert done.text.after == expected


STAGES = """\
from mxnet.gluon import nn


def stage(channels, depth, first=False):
    part = nn.Sequential()
    for number in range(depth):
        part.add(nn.Conv2D(channels, 3, padding=1, strides=1 if first or number else 2))
    return part


def body(channels):
    part = nn.Sequential()
    part.add(stage(channels, 2, first=True), stage(2 * channels, 1))
    return part


def network(classes=3):
    net = nn.Sequential()
    net.add(body(4), nn.GlobalAvgPool2D(), nn.Dense(classes))
    return net
"""


def test_a_function_is_proved_by_the_networks_that_it_builds_a_part_of(tmp_path: Path) -> None:
    path = tmp_path / "stages.py"
    path.write_text(STAGES, encoding="utf-8")
    [done] = Hybridizing(PIPELINE).of_files([SourceFile.read(path)], {})
    assert {o.block: (o.status, o.proof) for o in done.outcomes if o.block != "network"} == {
        "stage": (ConversionStatus.PROVED, "by body"),
        "body": (ConversionStatus.PROVED, "by network"),
    }
    assert done.text.after == STAGES.replace("nn.Sequential", "nn.HybridSequential")
