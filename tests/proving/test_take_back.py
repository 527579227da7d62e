"""A planted wrong fix is refuted, located and taken back alone; the right ones stay."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from hybridlint.checking import checker, text_versions
from hybridlint.core.proof_outcome import AFTER, BEFORE, ProofStatus
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.proving.fixes import prove
from hybridlint.report.proof import render
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import SourceFile

RULE = Rule(__name__, code="HYB999", summary="planted")

TEXT = dedent(
    """\
    from mxnet.gluon import nn


    class Net(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            a = F.relu(x)
            b = F.sigmoid(x)
            c = F.tanh(x)
            return a + b * c


    class Other(nn.HybridBlock):
        def hybrid_forward(self, F, x):
            return F.exp(x)
    """
)


def _plant(monkeypatch: pytest.MonkeyPatch, replace: Mapping[str, str]) -> None:
    """Let the analysis report expressions that stand in `replace`, with a fix that writes another one."""

    def analyze(source: SourceFile, *_: Any, **__: Any) -> list[Finding]:
        return list(_findings(source))

    def _findings(source: SourceFile) -> Iterator[Finding]:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.expr) and source.code(node) in replace:
                old = source.code(node)
                fix = Fix("Replace", (Edit(source.span(node), replace[old]),), Applicability.SAFE)
                yield RULE.at(node, f"planted {old}", fix=fix)

    monkeypatch.setattr(text_versions, "analyze_file", analyze)


def _fixed(tmp_path: Path, *, written: bool = True) -> Result:
    path = tmp_path / "net.py"
    path.write_text(TEXT)
    config = Config(root=tmp_path)
    job = checker.Job(path, TEXT.encode(), config, fix=True)
    result = checker.check(job)
    assert result.failure is None
    [proved] = prove([result], [config], [checker.refixing(job)], unsafe=False, written=written)
    return proved


def test_a_wrong_fix_is_taken_back_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    right = {"F.relu(x)": "x.relu()", "F.tanh(x)": "x.tanh()"}
    other = {"F.exp(x)": "x.exp()"}
    _plant(monkeypatch, {**right, "F.sigmoid(x)": "F.softsign(x)", **other})
    result = _fixed(tmp_path)
    assert result.fixed is not None
    expected = TEXT
    for old, new in {**right, **other}.items():
        expected = expected.replace(old, new)
    assert result.fixed.after == expected
    assert [(drop.code, drop.row) for drop in result.fixed.dropped] == [("HYB999", 7)]
    assert "taken back, because running Net refutes it" in result.fixed.dropped[0].reason
    assert [diagnostic.location.row for diagnostic in result.diagnostics] == [7]
    [parting] = [outcome.parting for outcome in result.proof if outcome.status is ProofStatus.REFUTED]
    assert parting is not None
    assert (parting.row, parting.message, parting.agreed) == (7, "its result has other values", 1)
    assert "F.softsign(x)" in parting.code
    shown = [(outcome.block, outcome.status, outcome.taken_back) for outcome in result.proof]
    assert sorted(shown, key=str) == sorted(
        [
            ("Net", ProofStatus.REFUTED, "HYB999 in line 7"),
            ("Net", ProofStatus.PROVED, None),
            ("Other", ProofStatus.PROVED, None),
        ],
        key=str,
    )


def test_several_wrong_fixes_are_all_taken_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _plant(monkeypatch, {"F.relu(x)": "F.abs(x)", "F.sigmoid(x)": "x.sigmoid()", "F.tanh(x)": "F.sin(x)"})
    result = _fixed(tmp_path)
    assert result.fixed is not None
    assert result.fixed.after == TEXT.replace("F.sigmoid(x)", "x.sigmoid()")
    assert {drop.row for drop in result.fixed.dropped} == {6, 8}


def test_a_fix_that_is_wrong_only_compiled_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = "(F.sigmoid(x) if hasattr(x, 'asscalar') and hasattr(x, 'shape') else F.relu(x))"
    _plant(monkeypatch, {"F.relu(x)": "x.relu()", "F.sigmoid(x)": wrong, "F.tanh(x)": "x.tanh()"})
    monkeypatch.setattr("hybridlint.fixing.loop.MAX_PASSES", 1)
    result = _fixed(tmp_path)
    assert result.fixed is not None
    assert [drop.row for drop in result.fixed.dropped] == [7]
    assert result.fixed.after == TEXT.replace("F.relu(x)", "x.relu()").replace("F.tanh(x)", "x.tanh()")


def test_nothing_is_left_of_a_file_whose_only_fix_is_wrong(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _plant(monkeypatch, {"F.exp(x)": "F.expm1(x)"})
    result = _fixed(tmp_path)
    assert result.fixed is not None
    assert result.fixed.after == TEXT
    assert [outcome.status for outcome in result.proof] == [ProofStatus.REFUTED]


LONGER = {"F.relu(x)": "F.Activation(\n            x,\n            act_type='relu',\n        )"}


@pytest.mark.parametrize("written", [True, False])
def test_lines_are_those_of_the_file_that_the_reader_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: bool
) -> None:
    _plant(monkeypatch, {**LONGER, "F.sigmoid(x)": "F.softsign(x)"})
    # The fix that moves the line stays, though it is longer and its block remains unfinished.
    monkeypatch.setattr(Fix, "serves_block", lambda fix, text: False)
    # The wrong fix is applied after it.
    monkeypatch.setattr("hybridlint.fixing.fix_priority.choose_fixes", lambda fixes: list(fixes)[:1])
    result = _fixed(tmp_path, written=written)
    assert result.fixed is not None
    text, lines_of = (result.fixed.after, AFTER) if written else (TEXT, BEFORE)
    row = next(k for k, line in enumerate(text.splitlines(), 1) if "F.sigmoid(x)" in line)
    assert row == (10 if written else 7)
    [drop] = result.fixed.dropped
    assert (drop.row, drop.row_before) == (10, 7)
    [refuted] = [outcome for outcome in result.proof if outcome.status is ProofStatus.REFUTED]
    assert refuted.taken_back == f"HYB999 in line {row}"
    assert refuted.parting is not None
    assert refuted.parting.row == row
    # Python 3.10 knows of the place no more than the statement.
    assert re.search(rf"what fixing makes of line {row}, at `(b = )?F\.softsign\(x\)`", str(refuted.parting))
    assert {outcome.lines_of for outcome in result.proof} == {lines_of}
    assert {text.splitlines()[outcome.row - 1] for outcome in result.proof} == {"class Net(nn.HybridBlock):"}
    assert f"Lines are those of {lines_of}." in render(result.proof)


def test_an_error_that_the_fix_brings_is_at_its_line_before_fixing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _plant(monkeypatch, {**LONGER, "F.tanh(x)": "F.tanh(x, x, x)"})
    result = _fixed(tmp_path, written=False)
    [refuted] = [outcome for outcome in result.proof if outcome.status is ProofStatus.REFUTED]
    assert refuted.failed_row == 8
