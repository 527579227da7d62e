"""The count of findings that fixing removed."""

from __future__ import annotations

from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.text.source import SourceFile

NET = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        {}
"""


def fixed(statement: str) -> FixOutcome:
    return fix_source(SourceFile(Path("net.py"), NET.format(statement)), analyze_file, unsafe=False)


def test_every_finding_that_one_fix_removes_is_repaired() -> None:
    statement = "return x.reshape((x.shape[0], x.shape[1], -1))"
    found = analyze_file(SourceFile(Path("net.py"), NET.format(statement)))
    outcome = fixed(statement)
    assert not outcome.findings
    assert len(outcome.repaired) == outcome.initial == len(found) == 2


def test_nothing_is_repaired_where_nothing_was_fixed() -> None:
    outcome = fixed("return F.relu(x)")
    assert (outcome.repaired, outcome.initial) == ((), 0)
