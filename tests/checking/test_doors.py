"""One way through: one file gives the same findings, fixes and outcomes, whichever door it comes in by."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
from libcst.codemod import CodemodContext, TransformSuccess, transform_module

import hybridlint
from hybridlint.codemod import FixCommand
from hybridlint.core.result import Result
from hybridlint.frontends.api.check import check, check_source
from hybridlint.report import proof as proof_report
from hybridlint.report.blocks import compiled_blocks
from hybridlint.report.formats import json as json_report
from hybridlint.report.report_options import ReportOptions
from tests import commands

#: A finding with a right fix, one whose fix is wrong for how the block is called, and a possible one that a run shows.
NET = """\
from mxnet.gluon import HybridBlock


class Fixable(HybridBlock):
    def hybrid_forward(self, F, x):
        x += 1
        return F.relu(x)


# hybridlint: verify(x=[("N", 3), ("N", 3)])
class Wrongly(HybridBlock):
    def hybrid_forward(self, F, x):
        return sum(x)


# hybridlint: verify(a=("N", 1), b=("N", 3))
class Doubtful(HybridBlock):
    def hybrid_forward(self, F, a, b):
        return a * b.sum(axis=1)
"""
FIXED = NET.replace("x += 1", "x = x + 1").replace("a * b.sum(axis=1)", "F.broadcast_mul(a, b.sum(axis=1))")


@dataclass(frozen=True)
class Seen:
    """What a door gives: findings as JSON data, the text of the file afterwards, and outcomes as they are reported."""

    findings: list[Any]
    text: str
    outcomes: str


def _of_result(result: Result, text: str, *, unsafe: bool) -> Seen:
    findings = json.loads(json_report.render([result], ReportOptions(unsafe=unsafe)))
    blocks = compiled_blocks([result], written=True)
    return Seen(findings, text, click.unstyle(proof_report.render(result.proof)) + blocks)


def _command(*arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    options = ["check", "--no-cache", "--possible", "--verify", *arguments]
    return commands.text(options, cwd=Path.cwd(), env={**os.environ, "NO_COLOR": "1"}, stdin=stdin)


def _line(unsafe: bool) -> tuple[str, ...]:
    return ("--fix", "--unsafe-fixes") if unsafe else ()


def _command_line(path: Path, fix: bool) -> Seen:
    done = _command("--output-format", "json", *_line(fix), path.name)
    return Seen(json.loads(done.stdout), path.read_text(encoding="utf-8"), _table(done.stderr))


def _standard_input(path: Path, fix: bool) -> Seen:
    text = path.read_text(encoding="utf-8")
    done = _command("--output-format", "json", *_line(fix), "--stdin-filename", path.name, "-", stdin=text)
    if not fix:
        return Seen(json.loads(done.stdout), text, _table(done.stderr))
    start = done.stderr.index("[\n")
    end = done.stderr.index("\n]\n", start) + 3
    return Seen(json.loads(done.stderr[start:end]), done.stdout, _table(done.stderr[end:]))


def _table(told: str) -> str:
    return told[told.index("block ") :]


def _library(path: Path, fix: bool) -> Seen:
    [result] = check(path.name, fix=fix, unsafe_fixes=fix, verify=True, possible=True)
    return _of_result(result, path.read_text(encoding="utf-8"), unsafe=fix)


def _library_of_text(path: Path, fix: bool) -> Seen:
    text = path.read_text(encoding="utf-8")
    result = check_source(text, path.name, fix=fix, unsafe_fixes=fix, verify=True, possible=True)
    return _of_result(result, text if result.fixed is None else result.fixed.after, unsafe=fix)


DOORS: Sequence[Callable[[Path, bool], Seen]] = (_command_line, _standard_input, _library, _library_of_text)


@pytest.fixture
def net(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "net.py"
    path.write_text(NET, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text(
        "[tool.hybridlint]\npossible = true\n[tool.hybridlint.verify]\nsamples = 1\n", encoding="utf-8"
    )
    return path


def _codes(seen: Seen) -> list[tuple[str, int, str]]:
    return [(found["code"], found["location"]["row"], found["severity"]) for found in seen.findings]


def test_every_door_fixes_the_same(net: Path, hybridlint_check: Callable[..., tuple[Result, ...]]) -> None:
    seen = []
    for door in DOORS:
        net.write_text(NET, encoding="utf-8")
        seen.append(door(net, True))
    first = seen[0]
    assert first.text == FIXED
    assert _codes(first) == [("HYB210", 13, "error")]
    assert "HYB210 in line 13 was taken back" in first.outcomes
    assert "3 proved, 1 refuted, 0 not run." in first.outcomes
    for other in seen[1:]:
        assert other.findings == first.findings
        assert other.text == first.text
        assert other.outcomes.replace(str(net.parent) + os.sep, "") == first.outcomes
    assert hybridlint_check is hybridlint.check
    done = transform_module(FixCommand(CodemodContext(filename="net.py"), unsafe_fixes=True, verify=True), NET)
    assert isinstance(done, TransformSuccess)
    assert done.code == FIXED
    assert [warning.partition(":")[0] for warning in done.warning_messages] == ["line 13"]


def test_every_door_settles_the_same(net: Path) -> None:
    seen = [door(net, False) for door in DOORS]
    assert _codes(seen[0]) == [("HYB302", 6, "error"), ("HYB210", 13, "error"), ("HYB301", 19, "error")]
    assert "running Doubtful shows it" in seen[0].findings[2]["message"]
    assert all(other.findings == seen[0].findings for other in seen[1:])
    assert all(other.text == NET for other in seen)
    assert len({other.outcomes for other in seen}) == 1
