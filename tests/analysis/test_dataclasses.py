"""Dataclasses with methods are objects, which may change themselves; those without are records."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.findings import analyze_file
from hybridlint.text.source import SourceFile

TEXT = """
from dataclasses import dataclass

from mxnet.gluon import HybridBlock


@dataclass{options}
class Rate:
    value: float = 1.0
    half: float = 0.5

    def {method}


class Net(HybridBlock):
    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.rate = Rate()

    def hybrid_forward(self, F, x):
        return x * {use}
"""


@pytest.mark.parametrize(
    ("method", "use", "options", "codes"),
    [
        ("__call__(self):\n        self.value *= self.half\n        return self.value", "self.rate()", "", {"HYB604"}),
        ("drop(self):\n        self.value -= 0.1\n        return self.value", "self.rate.drop()", "", {"HYB604"}),
        ("drop(self):\n        return self.value - 0.1", "self.rate.drop()", "(frozen=True)", set()),
        ("__post_init__(self):\n        self.value = self.half", "self.rate.value", "", set()),
    ],
)
def test_what_a_method_changes_is_state(method: str, use: str, options: str, codes: set[str]) -> None:
    text = TEXT.format(method=method, use=use, options=options)
    found = analyze_file(SourceFile(Path("net.py"), text))
    assert {finding.rule.code for finding in found if finding.severity.value == "error"} == codes


def test_one_that_a_call_makes_carries_nothing() -> None:
    method = "drop(self):\n        self.value = self.value - 0.1\n        return self.value"
    text = TEXT.format(method=method, use="Rate(0.5).drop()", options="")
    assert not [finding for finding in analyze_file(SourceFile(Path("net.py"), text)) if finding.rule.code == "HYB604"]
