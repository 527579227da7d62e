"""What has one value whenever it is computed once the block is built: settings, numbers, what numpy makes of them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.fixers.evidence.fixed_values import FixedValues
from hybridlint.fixers.toolkit.names import class_around
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import named

NET = """import numpy as np
from mxnet.gluon import HybridBlock

SCALE = [1.0, 2.0]


class Net(HybridBlock):
    def __init__(self, size):
        super().__init__()
        self.size = size
        self.step = 1

    def hybrid_forward(self, F, x):
        self.step += 1
        row = np.arange(self.size)
        half = row / 2
        twice = row
        twice = row * 2
        table = np.zeros((3, 3))
        table[0] = 1
        base = np.zeros(3)
        other = base
        other[0] = 1
        return x.reshape((x.shape[0], -1)), ({node})
"""


def fixed(node: str) -> tuple[FixedValues, ast.expr]:
    source = SourceFile(Path("net.py"), NET.format(node=node))
    frames = [event.frame for event in module_events(source)]
    frame = next(f for f in frames if isinstance(f.function, ast.FunctionDef) and f.function.name == "hybrid_forward")
    owner = class_around(frame)
    assert owner is not None
    return FixedValues(frame, owner), named(frame, node)


FIXED = {
    "np.stack([half, row])": ["half = row / 2", "row = np.arange(self.size)", "row = np.arange(self.size)"],
    "[half ** k for k in range(self.size) if k > 0]": ["half = row / 2", "row = np.arange(self.size)"],
    "SCALE[0] * float(self.size)": [],
}


@pytest.mark.parametrize(("node", "statements"), FIXED.items())
def test_what_is_fixed(node: str, statements: list[str]) -> None:
    values, inside = fixed(node)
    assert values.hold(inside)
    assert [ast.unparse(one) for one in values.bindings(inside)] == statements


CHANGING = {
    "a name that is bound twice": "np.stack([twice])",
    "an array whose items are stored": "table * 2",
    "an array that another name changes": "base * 2",
    "an attribute that other methods store": "self.step * 2",
    "random numbers": "np.random.rand(3)",
    "an input": "x * 2",
    "a function that does more than compute": "print(row)",
    "items of which one is drawn": "[np.random.rand() + k for k in range(3)]",
}


@pytest.mark.parametrize("node", CHANGING.values(), ids=CHANGING.keys())
def test_what_changes(node: str) -> None:
    values, inside = fixed(node)
    assert not values.hold(inside)
