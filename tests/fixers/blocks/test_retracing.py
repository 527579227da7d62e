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


def test_a_property_that_asks() -> None:
    modal = "class Modal:\n    @property\n    def training(self):\n        return autograd.is_training()\n\n\n"
    before, after = (
        modal
        + text.replace("y if autograd.is_training()", "y if self.training").replace(
            "(HybridBlock)", "(Modal, HybridBlock)"
        )
        for text in (head(), head(after=True))
    )
    assert fixed_text(HEAD + before) == HEAD + after


STORED = """\
class Modal(HybridBlock):
    def forward(self, *args):{drop}
        self.training = autograd.is_training()
        return super().forward(*args)


class Head(Modal):
    def __init__(self):
        super().__init__()
        self.fc = nn.Dense(3)

    def hybrid_forward(self, F, x):
        y = self.fc(x)
        return y if self.training else F.softmax(y)
"""
DROP = """
        if getattr(self, "training", None) != autograd.is_training():
            # A graph keeps the mode of its trace, so that each change of mode needs another one.
            self._clear_cached_op()"""


def test_a_forward_that_stores_the_mode_drops_the_graph() -> None:
    assert fixed_text(HEAD + STORED.format(drop="")) == HEAD + STORED.format(drop=DROP)


def test_what_holds_a_block_that_stores_the_mode_is_traced_anew() -> None:
    after = HEAD + STORED.format(drop=DROP) + net(after=True)
    assert fixed_text(HEAD + STORED.format(drop="") + net()) == after


def test_a_layer_without_parts_is_traced_anew_with_what_holds_it() -> None:
    layer = head().replace("self.fc(x)", "x * 2").replace("self.fc = nn.Dense(3)", "self.units = 3")
    text = fixed_text(HEAD + layer + net())
    assert text.count(FORWARD.format(mode="is_training")) == 2


def test_a_mode_that_is_stored_on_a_condition_is_left() -> None:
    text = STORED.format(drop="\n        if len(args) > 1:\n            self.training = False")
    assert "_clear_cached_op" not in fixed_text(HEAD + text, unsafe=True)


LEFT = {
    "a forward of its own": head().replace(
        "    def hybrid_forward",
        "    def forward(self, x):\n        return super().forward(x * 2)\n\n    def hybrid_forward",
    ),
    "a layer without parts": head().replace("self.fc(x)", "x * 2").replace("self.fc = nn.Dense(3)", "self.units = 3"),
    "a part of what a function builds": f"{head()}\n\ndef build(net):\n    net.add(Head())\n",
}


@pytest.mark.parametrize("text", LEFT.values(), ids=LEFT.keys())
def test_not_traced_anew(text: str) -> None:
    assert "_clear_cached_op" not in fixed_text(HEAD + text, unsafe=True)


def test_many_classes_are_shown_alone() -> None:
    text = HEAD + head()
    for number in range(4):
        inner = f"Net{number - 1}()" if number else "Head()"
        text += net().replace("Net(", f"Net{number}(").replace("Head()", inner)
    fixes = [finding.fix for finding in analyze_file(SourceFile(Path("net.py"), text)) if finding.fix is not None]
    assert [fix.applicability for fix in fixes] == [Applicability.DISPLAY]
    assert "Not applied: 5 classes would be traced anew." in fixes[0].message
