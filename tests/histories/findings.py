"""What is found in a repair, and what fixing makes of it."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from hybridlint.checking.findings import analyze_file
from hybridlint.fixing.loop import FixOutcome, fix_source
from hybridlint.rule import Finding, Severity
from hybridlint.text.source import SourceFile

PATH = Path("net.py")


def told(text: str) -> set[tuple[int, str]]:
    """Return rows and codes of the findings in a module; those of possible ones end in a question mark."""
    source = SourceFile(PATH, text)
    found = [f for f in analyze_file(source, possible=True) if f.severity is not Severity.INFO]
    return {(source.location(source.span(f.node).start)[0], _code(f)) for f in found}


def _code(finding: Finding) -> str:
    return finding.rule.code + "?" * (finding.severity is Severity.POSSIBLE)


def certain(codes: set[tuple[int, str]]) -> set[tuple[int, str]]:
    """Return those findings that are told without being asked for."""
    return {(row, code) for row, code in codes if not code.endswith("?")}


@cache
def fixed(text: str) -> FixOutcome:
    """Fix a module as ``--fix --unsafe-fixes`` does."""
    return fix_source(
        SourceFile(PATH, text), analyze_file, unsafe=True, doubts=lambda now: analyze_file(now, possible=True)
    )


def left(outcome: FixOutcome) -> list[Finding]:
    """Return what is still found after fixing."""
    return [finding for finding in outcome.findings if finding.severity is not Severity.INFO]
