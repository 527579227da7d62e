"""The state of the fix loop, and its report: fixes that were applied, dropped, or useless."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import field

from hybridlint.core.applied_fixes import Applied, Dropped, FixId
from hybridlint.fixing.blocks import is_unusual, serves_block
from hybridlint.fixing.finding_kinds import block_of, kind_of, row_of
from hybridlint.fixing.fix_priority import is_fixable, keeps_eager
from hybridlint.fixing.position_map import PositionMap
from hybridlint.rule import Finding
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.source import SourceFile


@record(slots=True)
class FixState:
    """The state of the fix loop: the text, its findings, the passes so far, and the applied fixes."""

    source: SourceFile
    findings: tuple[Finding, ...]
    trail: PositionMap
    applied: tuple[Applied, ...] = ()
    dropped: dict[FixId, Dropped] = field(default_factory=dict)
    #: Tentative fixes after which no other fix applied.
    useless: set[FixId] = field(default_factory=set)

    def id_of(self, finding: Finding) -> FixId:
        """Return the identity of a finding's fix."""
        return self.trail.id_of(finding, self.source)

    def row_before(self, finding: Finding) -> int:
        """Return the row in the original text that corresponds to a finding's current row."""
        return self.trail.row_before(finding, self.source)

    def copy(self) -> FixState:
        """Return an independent copy, for trying another sequence of fixes."""
        return replace(self, dropped=dict(self.dropped), useless=set(self.useless))


def applied_fix(finding: Finding, state: FixState, *, possible: bool) -> Applied:
    """Return the fix of a finding as one that was applied in a state."""
    fix, block = finding.fix, block_of(finding, state.source)
    compiles = fix is not None and fix.compiles
    for_block = possible or compiles or serves_block(finding, state.source)
    row = state.row_before(finding)
    return Applied(state.id_of(finding), row, block, possible, compiles, for_block, is_unusual(finding))


def drop(finding: Finding, state: FixState, reason: str) -> Dropped:
    """Return the fix of a finding as one that was dropped in a state, for a reason."""
    return Dropped(finding.rule.code, row_of(finding, state.source), reason, state.row_before(finding))


def dropped_fixes(
    findings: Iterable[Finding], source: SourceFile, reason: str, *, unsafe: bool, keep_eager: bool
) -> Iterator[Dropped]:
    """Yield every permitted fix as dropped, for a reason that applies to the whole file."""
    state = FixState(source, tuple(findings), PositionMap(source))
    permitted = (f for f in state.findings if is_fixable(f, unsafe=unsafe, keep_eager=keep_eager))
    return (drop(finding, state, reason) for finding in permitted)


def repaired_findings(
    found: Sequence[Finding], source: SourceFile, after: FixState, *, unsafe: bool, keep_eager: bool
) -> Iterator[Finding]:
    """Yield the fixable findings that are gone: of each kind, as many as there are fewer now.

    Those of a class that is kept eager are settled by that, whatever other fixes they have.
    """
    fewer = Counter(kind_of(f, source) for f in found)
    fewer.subtract(kind_of(f, after.source) for f in after.findings)
    left = {after.id_of(f) for f in after.findings}
    made = {fix.id for fix in after.applied}
    first = PositionMap(source)
    done = [way for finding in found for way in finding.ways() if first.id_of(way, source) in made]
    eager = {block_of(way, source): way.fix for way in done if keeps_eager(way)}
    for finding in found:
        kind = kind_of(finding, source)
        ways = [way for way in finding.ways() if is_fixable(way, unsafe=unsafe, keep_eager=keep_eager)]
        if (ways or kind[0] in eager) and fewer[kind] > 0 and first.id_of(finding, source) not in left:
            fewer[kind] -= 1
            own = next((way for way in ways if first.id_of(way, source) in made), None)
            yield own or (replace(finding, fix=eager[kind[0]]) if kind[0] in eager else ways[0])


def as_left(finding: Finding, state: FixState) -> Finding:
    """Return a finding that is left, without fixes that were tried and led nowhere."""
    untried = (way for way in finding.ways() if state.id_of(way) not in state.useless)
    return next(untried, replace(finding, fix=None, otherwise=None))


def still_dropped(state: FixState) -> Iterator[Dropped]:
    """Yield the dropped fixes whose findings remain, with their current rows."""
    for finding in state.findings:
        known = state.dropped.get(state.id_of(finding))
        if known is not None:
            yield drop(finding, state, known.reason)
