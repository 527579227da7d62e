"""States of recurrent cells that are not in a list."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import fix_source
from hybridlint.text.source import SourceFile

HEAD = """
from mxnet.gluon import HybridBlock, rnn


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.cell = rnn.GRUCell(4, input_size=4)
        self.zone = rnn.ZoneoutCell(rnn.GRUCell(4))
        self.drop = rnn.DropoutCell(0.5)
        self.stack = rnn.HybridSequentialRNNCell()
        self.stack.add(rnn.RNNCell(4))
        self.layer = rnn.GRU(4)

    def hybrid_forward(self, F, x, h, state, states):
"""


def module(body: str) -> SourceFile:
    """Return a block with cells whose forward pass has a body."""
    return SourceFile(Path("net.py"), HEAD.lstrip() + "".join(f"        {line}\n" for line in body.split("\n")))


def told(body: str) -> list[str]:
    """Return the severities of the findings about states."""
    return [one.severity.value for one in analyze_file(module(body)) if one.rule.code == "HYB520"]


@pytest.mark.parametrize(
    ("body", "severity"),
    [
        ("out, _ = self.cell(x, F.zeros_like(x))\nreturn out", "error"),
        ("return self.zone(x, F.tanh(h))[0]", "error"),
        ("out, _ = self.stack(x, F.tanh(h))\nreturn out", "error"),
        ("out, new = self.cell(x, [F.tanh(h)])\nout, _ = self.cell(x, new[0])\nreturn out", "error"),
        ("out, _ = self.cell(x, state)\nreturn out", "warning"),
        ("return self.cell(x, state)[0]", "warning"),
        ("out, _ = self.cell(x, h * 1)\nreturn out + h", "error"),
    ],
)
def test_a_state_without_a_list(body: str, severity: str) -> None:
    assert told(body) == [severity]
    fixed = fix_source(module(body), analyze_file, unsafe=True)
    assert told(fixed.source.text.partition("states):\n")[2].replace("        ", "").rstrip()) == []


@pytest.mark.parametrize(
    "body",
    [
        "out, _ = self.cell(x, [F.zeros_like(x)])\nreturn out",
        "out, new = self.cell(x, state)\nreturn out, new",
        "return self.cell(x, state)",
        "one, two = states\nout, one = self.cell(x, one)\nout, two = self.stack(out, two)\nreturn out, [one, two]",
        "out, _ = self.cell(x, states)\nreturn out",
        "out, _ = self.drop(x, F.zeros_like(x))\nreturn out",
        "out, _ = self.layer(x, F.zeros_like(x))\nreturn out",
    ],
)
def test_states_that_may_be_lists_are_not_reported(body: str) -> None:
    assert told(body) == []
