"""Arrays that a block makes where its caller leaves an argument out."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

HEAD = """from mxnet import nd
from mxnet.gluon import HybridBlock, rnn


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.lstm = rnn.LSTM(4)

    def begin(self):
        return self.lstm.begin_state(3)

"""

MADE = {
    "states": (
        "    def hybrid_forward(self, F, x, state=None):\n        if state is None:\n"
        "            state = self.lstm.begin_state(3)\n        out, state = self.lstm(x, state)\n        return out\n"
    ),
    "by a method": (
        "    def hybrid_forward(self, F, x, state=None):\n        if not state:\n            state = self.begin()\n"
        "        out, state = self.lstm(x, state)\n        return out\n"
    ),
    "either": (
        "    def hybrid_forward(self, F, x, state=None):\n        state = state or self.lstm.begin_state(3)\n"
        "        out, state = self.lstm(x, state)\n        return out\n"
    ),
    "a mask": (
        "    def hybrid_forward(self, F, x, mask=None):\n        if mask is not None:\n"
        "            m = F.expand_dims(mask, 1)\n        else:\n            m = nd.ones((3, 1))\n        return x * m\n"
    ),
    "in one expression": (
        "    def hybrid_forward(self, F, x, mask=None):\n        mask = nd.ones((3, 4)) if mask is None else mask\n"
        "        return F.broadcast_mul(x, mask)\n"
    ),
}

RIGHT = {
    "made by the operators": (
        "    def hybrid_forward(self, F, x, state=None):\n        if state is None:\n"
        "            state = self.lstm.begin_state(3, func=F.zeros)\n        out, state = self.lstm(x, state)\n"
        "        return out\n"
    ),
    "left out once more": (
        "    def hybrid_forward(self, F, x, state=None):\n        if state is None:\n            return self.lstm(x)\n"
        "        out, state = self.lstm(x, state)\n        return out\n"
    ),
    "made in code that is not traced": (
        "    def predict(self, x, state=None):\n        if state is None:\n            state = self.begin()\n"
        "        return self.lstm(x, state)\n"
    ),
}


def found(folder: Path, body: str) -> list[tuple[str, str]]:
    (folder / "net.py").write_text(HEAD + body, encoding="utf-8")
    findings = analyze_file(SourceFile.read(folder / "net.py"), possible=True)
    return [(one.rule.code, one.severity.name) for one in findings]


@pytest.mark.parametrize("body", MADE.values(), ids=MADE.keys())
def test_an_array_in_place_of_what_is_left_out_is_no_symbol(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body) == [("HYB503", "WARNING")]


def test_what_callers_must_give_may_be_none_too(tmp_path: Path) -> None:
    assert found(tmp_path, MADE["states"].replace("state=None", "state")) == [("HYB503", "POSSIBLE")]


@pytest.mark.parametrize("body", RIGHT.values(), ids=RIGHT.keys())
def test_operators_make_what_suits_both_modes(tmp_path: Path, body: str) -> None:
    assert found(tmp_path, body) == []
