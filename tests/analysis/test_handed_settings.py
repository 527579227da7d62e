"""Settings that a constructor hands by keyword to the one above it, in a dict whose contents are not known.

Measured: a block made with a rate runs eagerly by the mode of each call, and hybridized by the mode of its trace.
"""

from __future__ import annotations

from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

TEXT = """
from mxnet import autograd
from mxnet.gluon import HybridBlock


class Base(HybridBlock):
    def __init__(self, rate=0.0, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate

    def corrupt(self, x):
        if self.rate <= 0 or not autograd.is_training():
            return x * 1
        return x * 2


class Net(Base):
    def __init__(self, units, **kwargs):
        super().__init__({given})
        self.units = units

    def hybrid_forward(self, F, x):
        return self.corrupt(x)
"""


def codes(given: str) -> list[str]:
    return [f.rule.code for f in analyze_file(SourceFile(Path("net.py"), TEXT.replace("{given}", given)))]


def test_what_callers_may_hand_on_is_no_default() -> None:
    assert codes("**kwargs") == ["HYB603"]
    assert codes("rate=0.5, **kwargs") == ["HYB603"]


def test_what_the_constructor_hands_on_itself_is_known() -> None:
    assert codes("rate=0.0, **kwargs") == []
    assert codes("") == []
