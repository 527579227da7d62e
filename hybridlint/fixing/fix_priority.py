"""The ways to fix findings: which are permitted, chosen together, or keep a class eager."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from hybridlint.core.diagnostic import is_permitted
from hybridlint.text.edits import Fix, FixKind, choose_fixes

if TYPE_CHECKING:
    from hybridlint.rule import Finding


def is_fixable(finding: Finding, *, unsafe: bool, keep_eager: bool = False) -> bool:
    """Return whether the fix of a finding may be applied. Fixes that keep a class eager need their option."""
    return finding.fix is not None and is_permitted(finding.fix, unsafe=unsafe, keep_eager=keep_eager)


def keeps_eager(finding: Finding) -> bool:
    """Return whether the fix of a finding keeps a class from being compiled."""
    return finding.fix is not None and finding.fix.kind is FixKind.KEEP_EAGER


def cost(finding: Finding) -> int:
    """Return the sort key of a fix: ordinary fixes first, then keep-eager, then one graph per mode.

    A class that stays eager is not traced, so that its traces are looked at last.
    """
    late = {FixKind.KEEP_EAGER: 1, FixKind.RETRACE: 2}
    return 0 if finding.fix is None else late.get(finding.fix.kind, 0)


def may_stay_compiled(findings: Iterable[Finding]) -> bool:
    """Return whether some fixes of findings, unsafe ones and steps included, keep all classes compiled."""
    return any(is_fixable(way, unsafe=True) for finding in findings for way in finding.ways())


def choose(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings whose fixes can be applied at once."""
    by_fix = {id(f.fix): f for f in findings}
    return [by_fix[id(fix)] for fix in choose_fixes(fixes_of(findings))]


def fixes_of(findings: Iterable[Finding]) -> list[Fix]:
    """Return the fixes of those findings that have one."""
    return [finding.fix for finding in findings if finding.fix is not None]
