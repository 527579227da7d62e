"""Settings that are surely numbers, by how the constructor computes them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.fixers.evidence.numbers_kept import keeps_number
from hybridlint.text.source import SourceFile
from hybridlint.text.syntax import walk

BLOCK = """\
import math

from mxnet.gluon import HybridBlock, nn


class Net(HybridBlock):
    def __init__(self, dim, heads=4, other=None):
        super().__init__()
        self.fc = nn.Dense(dim * 3)
        {made}

    def hybrid_forward(self, F, x):
        return self.fc(x).relu() * self.scale
{more}"""


def _keeps(made: str, more: str = "") -> bool:
    source = SourceFile(Path("net.py"), BLOCK.format(made=made, more=more))
    frame = next(e.frame for e in module_events(source) if getattr(e.frame.function, "name", "") == "hybrid_forward")
    reads = (n for n in walk(frame.function or ast.Pass()) if isinstance(n, ast.expr))
    return keeps_number(frame, next(n for n in reads if ast.unparse(n) == "self.scale"))


NUMBERS = {
    "a literal": "self.scale = 0.5",
    "a power of what a layer takes": "self.scale = dim ** -0.5",
    "arithmetic with an argument that is a number by default": "self.scale = (dim // heads) ** -0.5",
    "a function of math": "self.scale = 1 / math.sqrt(other)",
    "a conversion": "self.scale = float(other)",
    "another setting": "self.size = dim // heads\n        self.scale = self.size ** -0.5",
}


@pytest.mark.parametrize("made", NUMBERS.values(), ids=NUMBERS.keys())
def test_a_number(made: str) -> None:
    assert _keeps(made)


OTHERS = {
    "an argument that no layer takes": "self.scale = other * 2",
    "what a call gives": "self.scale = nn.Dense(heads)",
    "an argument bound anew": "heads = other\n        self.scale = heads * 2",
    "a flag": "self.scale = True",
    "a text": "self.scale = 'x'",
    "nothing that the constructor stores": "pass",
}


@pytest.mark.parametrize("made", OTHERS.values(), ids=OTHERS.keys())
def test_maybe_something_else(made: str) -> None:
    assert not _keeps(made)


def test_what_something_else_stores_is_not_known() -> None:
    assert not _keeps("self.scale = 0.5", "\n\ndef tune(net, scale):\n    net.scale = scale\n")
