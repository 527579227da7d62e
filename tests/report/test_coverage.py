"""What a run did not look at whole, in numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hybridlint.core.diagnostic import Diagnostic, SourceLocation
from hybridlint.core.result import Result
from hybridlint.report.coverage import coverage_gaps
from tests.commands import run


def _found(name: str) -> Diagnostic:
    place = SourceLocation(1, 1)
    return Diagnostic("HYB002", name, "info", "told", place, place, noqa_row=1, url="")


def test_gaps_are_counted() -> None:
    cut = Result(Path("a.py"), "x", (_found("unfinished-analysis"), _found("unfinished-analysis")))
    failed = Result(Path("b.py"), failure="it takes too long")
    unread = Result(Path("c.py"), "x", (_found("invalid-syntax"),))
    assert coverage_gaps([cut, failed, unread]).sentence == "Not covered: 2 functions cut off, 2 files not read.\n"
    assert coverage_gaps([Result(Path("d.py"))]).sentence == ""


def test_strict_coverage_is_an_exit_status(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("from mxnet.gluon import nn\nclass Net(nn.HybridBlock:\n")
    given = ["check", "--exit-zero", "--isolated", "--no-cache", "broken.py"]
    strict = run([*given, "--strict-coverage"], cwd=tmp_path)
    assert (run(given, cwd=tmp_path).returncode, strict.returncode) == (0, 1)
    assert b"Not covered: 1 file not read." in strict.stdout


BROKEN = "from mxnet.gluon import nn\nclass Net(nn.HybridBlock:\n"
UNRUN = """\
from mxnet.gluon import Block, HybridBlock


class Net({base}):
    # hybridlint: verify(x=("N", 4))
    def {forward}x):
        return x * len(open("/no/such/file").read())
"""
#: Functions in a function, each of which calls the next one often: the analysis enters each of these calls.
CUT = "".join(
    (
        "from mxnet.gluon import HybridBlock\n\n\nclass Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n",
        "        def step6(y):\n            return F.relu(y)\n\n",
        *(
            f"        def step{k}(y):\n            return {' + '.join([f'step{k + 1}(y)'] * 6)}\n\n"
            for k in range(5, -1, -1)
        ),
        "        return step0(x)\n",
    )
)


def _written(folder: Path, text: str) -> list[str]:
    (folder / "net.py").write_text(text)
    return ["--isolated", "--no-cache", "--exit-zero", "net.py"]


@pytest.mark.parametrize(
    ("command", "text", "gap"),
    [
        ("check", CUT, "function cut off"),
        ("status", CUT, "function cut off"),
        ("check", BROKEN, "file not read"),
        ("verify", BROKEN, "file not read"),
        ("verify", UNRUN.format(base="HybridBlock", forward="hybrid_forward(self, F, "), "block not run"),
        ("hybridize", UNRUN.format(base="Block", forward="forward(self, "), "block not run"),
    ],
)
def test_each_command_tells_its_gaps(tmp_path: Path, command: str, text: str, gap: str) -> None:
    given = [command, *_written(tmp_path, text)]
    told = run(given, cwd=tmp_path)
    assert f"Not covered: 1 {gap}.".encode() in told.stdout
    for_programs = run([*given, "--output-format", "json", "--strict-coverage"], cwd=tmp_path)
    assert [item["coverage"] for item in json.loads(for_programs.stdout) if item.get("coverage")] == [gap]
    assert f"Not covered: 1 {gap}.".encode() in for_programs.stderr
    assert (told.returncode, for_programs.returncode) == (0, 1)


@pytest.mark.parametrize("command", ["status", "hybridize"])
def test_files_that_do_not_parse_are_a_gap(tmp_path: Path, command: str) -> None:
    told = run([command, *_written(tmp_path, BROKEN)], cwd=tmp_path)
    assert b"Not covered: 1 file not read." in told.stdout
    assert told.returncode == 2
