"""Blocks that ask for the mode are traced anew at each change of it, with what holds them."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.edits import Applicability
from hybridlint.text.source import SourceFile
from tests.fixers.bodies import fixed_text

HEAD = "from mxnet import autograd\nfrom mxnet.gluon import HybridBlock, nn\n\n\n"
FORWARD = """
    def forward(self, *args):
        # A graph keeps the mode of its trace, so that each change of mode needs another one.
        if getattr(self, "_traced_mode", None) != autograd.{mode}():
            self._traced_mode = autograd.{mode}()
            self._clear_cached_op()
        return super().forward(*args)
"""
HEADS = """\
class Head(HybridBlock):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)
{forward}
    def hybrid_forward(self, F, x):
        y = self.fc(x)
        return y if autograd.{mode}() else F.softmax(y)
"""
NET = """

class Net(HybridBlock):
    def __init__(self):
        super().__init__()
        self.stages = nn.HybridSequential()
        self.stages.add(nn.Dense(4), Head())
{forward}
    def hybrid_forward(self, F, x):
        return self.stages(x)
"""


def head(mode: str = "is_training", *, after: bool = False) -> str:
    return HEADS.format(mode=mode, forward=FORWARD.format(mode=mode) if after else "")


def net(mode: str = "is_training", *, after: bool = False) -> str:
    return NET.format(forward=FORWARD.format(mode=mode) if after else "")


@pytest.mark.parametrize("mode", ["is_training", "is_recording"])
def test_each_mode_is_traced(mode: str) -> None:
    assert fixed_text(HEAD + head(mode)) == HEAD + head(mode, after=True)


def test_the_graph_that_holds_it_is_traced_anew_too() -> None:
    assert fixed_text(HEAD + head() + net()) == HEAD + head(after=True) + net(after=True)


def test_only_what_holds_it_is_left_to_do() -> None:
    text = (
        head(after=True)
        + "\n\n"
        + net()
        .strip("\n")
        .replace("self.stages(x)", "self.head(x)")
        .replace(
            "        self.stages = nn.HybridSequential()\n        self.stages.add(nn.Dense(4), Head())\n",
            "        self.head = Head()\n        self.fc = nn.Dense(2)\n",
        )
    )
    after = fixed_text(f"{HEAD}{text}\n")
    assert after.count("def forward(self, *args):") == 2


def test_a_helper_that_asks() -> None:
    helper = "def training():\n    return autograd.is_training()\n\n\n"
    before = head().replace("autograd.is_training()", "training()")
    after = head(after=True).replace("y if autograd.is_training()", "y if training()")
    assert fixed_text(HEAD + helper + before) == HEAD + helper + after


LEFT = {
    "a forward of its own": head().replace(
        "    def hybrid_forward",
        "    def forward(self, x):\n        return super().forward(x * 2)\n\n    def hybrid_forward",
    ),
    "a layer without parts": head().replace("self.fc(x)", "x * 2").replace("self.fc = nn.Dense(3)", "self.units = 3"),
    "a part of what a function builds": f"{head()}\n\ndef build(net):\n    net.add(Head())\n",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT.keys())
def test_left_to_a_person(text: str) -> None:
    assert fixed_text(HEAD + text, unsafe=True) == HEAD + text


def test_many_classes_are_shown_alone() -> None:
    text = HEAD + head()
    for number in range(4):
        inner = f"Net{number - 1}()" if number else "Head()"
        text += net().replace("Net(", f"Net{number}(").replace("Head()", inner)
    fixes = [finding.fix for finding in analyze_file(SourceFile(Path("net.py"), text)) if finding.fix is not None]
    assert [fix.applicability for fix in fixes] == [Applicability.DISPLAY]
    assert "Not applied: 5 classes would be traced anew." in fixes[0].message
