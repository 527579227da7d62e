"""Finding the wrong one among many fixes runs blocks, and analyzes nothing again."""

from __future__ import annotations

import ast
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from hybridlint.checking import checker, text_versions
from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.core.result import Result
from hybridlint.project.settings.config import Config
from hybridlint.proving import fixes
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Applicability, Edit, Fix
from hybridlint.text.source import SourceFile

RULE = Rule(__name__, code="HYB999", summary="planted")
CONFIG = Config(root=Path())


class _Counted:
    """A check of a file with planted fixes, `bad0` and the like being wrong, and how often it analyzed and proved."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, names: list[str], *, variant: str | None) -> None:
        calls = "".join(f"        {name}_old(x)\n" for name in names)
        self.text = f"class Net(HybridBlock):\n    def hybrid_forward(self, F, x):\n{calls}        return x\n"
        self.variant = variant
        self.analyzed: list[str] = []
        self.proved: list[str] = []
        monkeypatch.setattr(text_versions, "analyze_file", self._analyze)
        monkeypatch.setattr(fixes, "prove_file", self._prove)

    def result(self) -> Result:
        job = checker.Job(Path("net.py"), self.text.encode(), CONFIG, fix=True)
        first = checker.check(job)
        assert first.failure is None
        self.analyzed.clear()
        [result] = fixes.prove([first], [CONFIG], [checker.refixing(job)], unsafe=False)
        return result

    def _analyze(self, source: SourceFile, *_: Any, **__: Any) -> list[Finding]:
        self.analyzed.append(source.text)
        calls = [node for node in ast.walk(source.tree) if isinstance(node, ast.Name) and node.id.endswith("_old")]
        return [
            RULE.at(
                node,
                "the same for all",
                fix=Fix("Rename", (Edit(source.span(node), node.id[:-4]),), Applicability.SAFE),
            )
            for node in calls
        ]

    def _prove(
        self, path: Path, before: str, after: str, *_: Any, blocks: Collection[str] | None = None, **__: Any
    ) -> list[ProofOutcome]:
        self.proved.append(after)
        wrong = any(line.strip().startswith("bad") and "_old" not in line for line in after.splitlines())
        status = ProofStatus.REFUTED if wrong else ProofStatus.PROVED
        return [ProofOutcome(path, "Net", 1, status, "for the test", fault=wrong, variant=self.variant)]


@pytest.mark.parametrize("variant", ["eager after the fix", "compiled after the fix"])
def test_probes_analyze_nothing(monkeypatch: pytest.MonkeyPatch, variant: str) -> None:
    names = [f"good{k}" for k in range(11)]
    names.insert(7, "bad")
    counted = _Counted(monkeypatch, names, variant=variant)
    result = counted.result()
    assert result.fixed is not None
    assert [line.strip() for line in result.fixed.after.splitlines() if "_old" in line] == ["bad_old(x)"]
    # Of twelve fixes one is found by four probes at least; the first and the last proof are none.
    assert len(counted.proved) - 2 >= 4
    # Once before and once after the fixes that are left: for the report, not for a probe.
    assert len(counted.analyzed) == 2
    assert len(set(counted.proved)) >= 4


def test_no_text_is_analyzed_twice_for_several_wrong_fixes(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = _Counted(monkeypatch, ["good0", "bad0", "good1", "bad1", "good2"], variant="eager after the fix")
    result = counted.result()
    assert result.fixed is not None
    assert [line.strip() for line in result.fixed.after.splitlines() if "_old" in line] == [
        "bad0_old(x)",
        "bad1_old(x)",
    ]
    # Before the fixes, and after those that are left: fixed again once for both.
    assert len(counted.analyzed) == len(set(counted.analyzed)) == 2
