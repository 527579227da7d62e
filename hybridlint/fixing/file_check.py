"""The work of a check on one file: it requests findings, and applies the fixes or lists them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from hybridlint.fixing.findings_request import Asking, FindingsRequest
from hybridlint.fixing.offered_fixes import Allowed, mark_offered
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.core.applied_fixes import Refused
    from hybridlint.fixing.loop import FixOutcome
    from hybridlint.rule import Finding
    from hybridlint.text.source import SourceFile


def fixes_of(
    source: SourceFile, refused: Refused, *, unsafe: bool, keep_eager: bool = False
) -> Asking[tuple[FixOutcome, Sequence[Finding]]]:
    """Fix a file in memory, and return the outcome and the findings that remain, as they are reported."""
    from hybridlint.fixing.loop import fixing

    outcome = yield from fixing(source, unsafe=unsafe, refused=refused, keep_eager=keep_eager)
    left = outcome.findings if outcome.applied else (yield from _offered(source, refused, outcome.findings))
    return outcome, left


def findings_of(source: SourceFile, refused: Refused) -> Asking[tuple[Sequence[Finding], Sequence[Finding]]]:
    """Return the findings of a file, first as they are, then as they are reported."""
    found = yield FindingsRequest(source)
    if source.refused is not None:
        return found, [replace(finding, fix=None) for finding in found]
    return found, (yield from _offered(source, refused, found))


def _offered(source: SourceFile, refused: Refused, found: Sequence[Finding]) -> Asking[list[Finding]]:
    """Return the findings of a file; exactly the findings that ``--fix`` would fix are marked as fixable."""

    def begin(allowed: Allowed, without: frozenset[str]) -> Asking[FixOutcome]:
        from hybridlint.fixing.loop import fixing

        return fixing(
            source,
            unsafe=allowed.unsafe,
            refused=refused,
            tidy=False,
            without=without,
            keep_eager=allowed.keep_eager,
        )

    return (yield from mark_offered(found, source, begin))
