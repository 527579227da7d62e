"""The last lines of a report."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from hybridlint.checking.checker import Job, check
from hybridlint.core.applied_fixes import BlockState
from hybridlint.core.result import Fixed, Result
from hybridlint.project.settings.config import Config
from hybridlint.report.formats import load
from hybridlint.report.report_options import ReportOptions
from hybridlint.report.summary import applied_fixes, diff_summary, number_fixed, summary

#: A subscript that reads a row eagerly and selects an output compiled: its fix is unsafe.
ROW = """\
from mxnet.gluon import HybridBlock


class Net(HybridBlock):
    def hybrid_forward(self, F, x):
        return F.relu(x[0])
"""


def test_findings_are_counted_by_severity() -> None:
    (one,) = check(Job(Path("net.py"), ROW.encode(), Config(root=Path()))).diagnostics
    severities = ["possible", "warning", "error", "info", "error", "warning", "error"]
    result = Result(Path("net.py"), ROW, tuple(replace(one, severity=severity) for severity in severities))
    assert summary([result], ReportOptions(unsafe=True)).startswith(
        "Found 3 errors, 2 warnings, 1 note, 1 possible finding.\n"
    )


@pytest.mark.parametrize("unsafe", [True, False])
def test_unsafe_fixes_are_offered_to_those_who_have_not_asked_for_them(unsafe: bool) -> None:
    result = check(Job(Path("net.py"), ROW.encode(), Config(root=Path())))
    assert [diagnostic.hidden_fix for diagnostic in result.diagnostics] == [True]
    assert ("--unsafe-fixes" in diff_summary([result], unsafe=unsafe)) is not unsafe
    assert ("--unsafe-fixes" in summary([result], ReportOptions(unsafe=unsafe))) is not unsafe


def test_what_was_promised_fixed_and_listed_is_one_number() -> None:
    """A fix may repair several findings, a finding may take several fixes, and others may go with it."""
    (left,) = check(Job(Path("net.py"), ROW.encode(), Config(root=Path()))).diagnostics
    fixed = Fixed("a", "b", "utf-8", repaired=("HYB110", "HYB110", "HYB302"), along=2)
    results = [Result(Path("net.py"), ROW, (left,), fixed)]
    told = summary(results, ReportOptions(fixing=True))
    assert told.startswith("Found 6 findings (3 fixed, 2 gone with them, 1 remaining).\n")
    assert diff_summary(results, unsafe=True) == "Would fix 3 errors (and 2 gone with them).\n"
    assert number_fixed(results) == "Fixed 3 errors (and 2 gone with them).\n"
    first, *rows = applied_fixes(results)
    assert first.startswith("Fixed 3 errors (and 2 gone with them) in ")
    assert ["".join(row.split()[:1]) for row in rows] == ["2", "1"]


def test_findings_that_fixing_brings_are_told() -> None:
    (left,) = check(Job(Path("net.py"), ROW.encode(), Config(root=Path()))).diagnostics
    fixed = Fixed("a", "b", "utf-8", repaired=("HYB110",), new=1)
    told = summary([Result(Path("net.py"), ROW, (left,), fixed)], ReportOptions(fixing=True))
    assert told.startswith("Found 1 finding (1 fixed, 1 remaining, 1 of these new).\n")


def _with_blocks(name: str, *blocks: BlockState) -> Result:
    return Result(Path(name), fixed=Fixed("a", "b", "utf-8", repaired=("HYB110",), blocks=blocks))


@pytest.mark.parametrize(
    ("results", "sentence"),
    [
        ([_with_blocks("net.py", BlockState("Net"))], "1 block compiles now."),
        ([_with_blocks("net.py", BlockState("A"), BlockState("B"))], "2 blocks compile now."),
        (
            [_with_blocks("net.py", BlockState("A"), BlockState("B"), BlockState("Net", 26, "raises"))],
            "2 of 3 blocks compile now; `Net` still raises in line 26.",
        ),
        (
            [_with_blocks("net.py", BlockState("A"), BlockState("Net", 26, "may raise"))],
            "1 of 2 blocks compiles now; `Net` may raise in line 26.",
        ),
        (
            [_with_blocks("net.py", BlockState("Net", 26, "raises"))],
            "No block compiles now; `Net` still raises in line 26.",
        ),
        (
            [_with_blocks("net.py", BlockState("A")), _with_blocks("part.py", BlockState("B", 7, "differs"))],
            "1 of 2 blocks compiles now; `B` still differs at part.py:7.",
        ),
    ],
)
def test_blocks_are_counted_beside_findings(results: list[Result], sentence: str) -> None:
    assert f"remaining).\n{sentence}\n" in summary(results, ReportOptions(fixing=True))
    assert f".\n{sentence}\n" in number_fixed(results)
    assert "would compile" in diff_summary(results, unsafe=True)


def test_programs_are_told_of_blocks() -> None:
    (one,) = check(Job(Path("net.py"), ROW.encode(), Config(root=Path()))).diagnostics
    blocks = (BlockState("Net", one.location.row, "raises"), BlockState("Other"))
    result = Result(Path("net.py"), ROW, (one,), Fixed("a", "b", "utf-8", blocks=blocks))
    (item,) = json.loads(load("json").render([result], ReportOptions(fixing=True)))
    assert item["blocks"] == ["Net"]
    (run,) = json.loads(load("sarif").render([result], ReportOptions(fixing=True)))["runs"]
    told = run["invocations"][0]["properties"]["blocks"]
    assert [(block["name"], block["compiles"], block["row"]) for block in told] == [
        ("Net", False, one.location.row),
        ("Other", True, None),
    ]
