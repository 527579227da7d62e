"""Hooks that functions of a file put on parts of networks which they build."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

FILE = """
from mxnet.gluon import nn


class Monitor:
    def __init__(self):
        self.stats = {{}}

    def hook(self, path):
        def record(block, args, out):
            {record}
        return record

    def attach(self, block):
        for name, child in block._children.items():
            child.register_forward_hook(self.hook(name))
        return block


def build(units, monitor=None):
    net = nn.HybridSequential()
    for n in units:
        net.add(nn.Dense(n, activation="relu"))
    {attached}
    return net
"""
READ = "self.stats[path] = (out <= 0).mean().asscalar()"


@pytest.mark.parametrize(
    ("record", "attached", "codes"),
    [
        (READ, "if monitor: monitor.attach(net)", ["HYB106", "HYB705"]),
        (READ, "(monitor or Monitor()).attach(net)", ["HYB106", "HYB705"]),
        (READ, "Monitor().attach(net)", ["HYB106", "HYB705"]),
        (READ, "net[0].register_forward_hook(Monitor().hook('first'))", ["HYB106", "HYB705"]),
        (READ, "net.apply(lambda block: block.register_forward_hook(monitor.hook('any')))", []),
        # The hook of the whole network gets arrays.
        (READ, "net.register_forward_hook(Monitor().hook('all'))", []),
        (READ, "net[0].register_forward_hook(Monitor().hook('first')).detach()", []),
        (READ, "monitor = monitor or Monitor()", []),
        (READ, "return Monitor().attach(nn.Sequential())", []),
        ("pass", "Monitor().attach(net)", []),
    ],
)
def test_a_hook_of_a_part_gets_symbols(record: str, attached: str, codes: list[str]) -> None:
    text = FILE.format(record=record, attached=attached)
    assert sorted(d.rule.code for d in analyze_file(SourceFile(Path("m.py"), text))) == codes


def test_a_block_that_calls_the_function_tells_it_once() -> None:
    text = FILE.format(record=READ, attached="Monitor().attach(net)")
    text += """

from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.body = build([3])

    def hybrid_forward(self, F, x):
        return self.body(x)
"""
    assert sorted(d.rule.code for d in analyze_file(SourceFile(Path("m.py"), text))) == ["HYB106", "HYB705"]
