"""Blocks that a class calls with inputs that may be None in some calls, and that ask for it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from hybridlint.analysis.interpret import module_events
from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.evidence.eager.optional_child_inputs import parts_with_left_out_inputs
from hybridlint.text.source import SourceFile

TEXT = """\
from mxnet.gluon import HybridBlock, nn

class Layer(HybridBlock):
    def hybrid_forward(self, F, x, memory):
        whole = x if memory is None else F.concat(memory, x, dim=1)
        return whole * 2

class Plain(HybridBlock):
    def hybrid_forward(self, F, x, memory):
        return F.concat(memory, x, dim=1)

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.memory = None
        self.layer = Layer()
        self.plain = Plain()

    def hybrid_forward(self, F, x):
        kept = self.memory
        y = {call}
        self.memory = y
        return y * 1
"""

CALLS = {
    "what the block keeps": ("self.layer(x, kept)", ["Layer"]),
    "a tensor": ("self.layer(x, x * 2)", []),
    "a block that does not ask": ("self.plain(x, kept)", []),
    "another input": ("self.layer(kept, x * 2)", []),
}


@pytest.mark.parametrize(("call", "found"), CALLS.values(), ids=CALLS.keys())
def test_parts_that_ask(call: str, found: list[str]) -> None:
    source = SourceFile(Path("net.py"), TEXT.format(call=call))
    event = next(e for e in module_events(source) if isinstance(e, SideEffect))
    net = next(n for n in source.tree.body if isinstance(n, ast.ClassDef) and n.name == "Net")
    assert parts_with_left_out_inputs(event.frame, net) == found
