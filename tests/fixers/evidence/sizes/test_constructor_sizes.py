"""Sizes that a constructor computes from its arguments."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import CodeContext
from hybridlint.fixers.evidence.sizes.axis_size import AxisSize
from hybridlint.fixers.evidence.sizes.constructor_sizes import kept_size
from hybridlint.fixers.evidence.sizes.size_inference import SizeInference
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import named

NET = """from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, units, heads, **kwargs):
        super().__init__(**kwargs)
        {stored}
        self.query = nn.Dense(3 * units, flatten=False)

    def hybrid_forward(self, F, x):
        b, t, c = x.shape
        return self.query(x)
"""
UNITS, HEADS = "self.Net.units", "self.Net.heads"


def inside(stored: str, behind: str = "") -> CodeContext:
    source = SourceFile(Path("net.py"), NET.format(stored=stored) + behind)
    frames = [event.frame for event in module_events(source)]
    return next(f for f in frames if isinstance(f.function, ast.FunctionDef) and f.function.name == "hybrid_forward")


KEPT = {
    "an argument": ("self.k = heads", AxisSize((HEADS,))),
    "a quotient": ("self.k = units // heads", AxisSize((UNITS,), (HEADS,))),
    "a quotient as an integer": ("self.k = int(units / heads)", AxisSize((UNITS,), (HEADS,))),
    "another setting": ("self.h = heads\n        self.k = 2 * self.h", AxisSize(("2", HEADS))),
    "a local name": ("size = units // heads\n        self.k = size", AxisSize((UNITS,), (HEADS,))),
    "one of two": ("self.h, self.k = heads, units", AxisSize((UNITS,))),
    "a sum": ("self.k = units + heads", None),
    "stored twice": ("self.k = heads\n        self.k = units", None),
    "an argument that is bound again": ("heads = heads or 2\n        self.k = heads", None),
    "itself": ("self.k = self.k", None),
}


@pytest.mark.parametrize(("stored", "size"), KEPT.values(), ids=KEPT.keys())
def test_settings(stored: str, size: AxisSize | None) -> None:
    assert kept_size(inside(stored), "k") == size


def test_what_a_layer_is_made_with_is_the_size_of_what_it_gives() -> None:
    frame = inside("pass")
    axes = SizeInference(frame).axes(named(frame, "self.query(x)"))
    assert axes is not None
    assert [size.factors for size in axes.sizes] == [("x[0]",), ("x[1]",), ("3", UNITS)]


OTHER = """

class Other(HybridBlock):
    def __init__(self, k):
        super().__init__()
        self.k = k
"""
HEIR = """

class Heir(Net):
    def __init__(self):
        super().__init__(8, 2)
        self.k = 3
"""


def test_other_classes_have_settings_of_their_own() -> None:
    assert kept_size(inside("self.k = heads", OTHER), "k") == AxisSize((HEADS,))
    assert kept_size(inside("self.k = heads", HEIR), "k") is None
