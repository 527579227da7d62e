"""The last lines of a report."""

from __future__ import annotations

from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.report.manner import Manner
from hybridlint.report.summary import diff_summary, summary
from hybridlint.settings.config import Config

#: A subscript that reads a row eagerly and selects an output compiled: its fix is unsafe.
ROW = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x[0])
"""


@pytest.mark.parametrize("unsafe", [True, False])
def test_unsafe_fixes_are_offered_to_those_who_have_not_asked_for_them(unsafe: bool) -> None:
    result = check(Job(Path("net.py"), ROW.encode(), Config(root=Path())))
    assert [diagnostic.hidden_fix for diagnostic in result.diagnostics] == [True]
    assert ("--unsafe-fixes" in diff_summary([result], unsafe=unsafe)) is not unsafe
    assert ("--unsafe-fixes" in summary([result], Manner(unsafe=unsafe))) is not unsafe
