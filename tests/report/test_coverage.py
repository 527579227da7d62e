"""What a run did not look at whole, in numbers."""

from __future__ import annotations

from pathlib import Path

from hybridlint.diagnostic import Diagnostic, Location
from hybridlint.report.coverage import coverage_gaps
from hybridlint.result import Result
from tests.commands import run


def _found(name: str) -> Diagnostic:
    place = Location(1, 1)
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
