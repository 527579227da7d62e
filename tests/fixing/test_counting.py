"""The count of findings that fixing removed."""

from __future__ import annotations

from pathlib import Path

from hybridlint.fixing.loop import FixOutcome
from hybridlint.text.source import SourceFile

SOURCE = SourceFile(Path("block.py"), "")


def test_findings_that_other_fixes_have_rewritten_are_gone_too() -> None:
    assert FixOutcome(SOURCE, findings=(), initial=4).gone == 4


def test_nothing_is_gone_where_nothing_was_fixed() -> None:
    assert FixOutcome(SOURCE, findings=(), initial=0).gone == 0
