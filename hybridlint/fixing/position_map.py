"""The passes that fixed a file, which map each position and each fix back to the original text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from hybridlint.core.applied_fixes import FixId, FixOrigin, OwnedEdit, Pass
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.edits import Edit, FixKind, origin

if TYPE_CHECKING:
    from hybridlint.rule import Finding
    from hybridlint.text.source import SourceFile


@record(frozen=True, slots=True)
class PositionMap:
    """The text before any fix, and the passes that led to the current text."""

    first: SourceFile
    passes: tuple[Pass, ...] = ()
    #: How many fixes of each rule were applied to each place, by their identities as the first there.
    turns: Counter[FixId] = field(default_factory=Counter)

    def after(self, edits: Iterable[Edit], owners: Mapping[Edit, FixId]) -> PositionMap:
        """Return the trail with one more pass. `owners` has the fix of each edit that belongs to one."""
        done = tuple(OwnedEdit(edit, owners.get(edit)) for edit in sorted(set(edits)))
        turns = self.turns + Counter(replace(fix, turn=0) for fix in set(owners.values()))
        return replace(self, passes=(*self.passes, done), turns=turns)

    def id_of(self, finding: Finding, source: SourceFile) -> FixId:
        """Return the identity of the fix of a finding in the current text, the text of `source`."""
        span = source.span(finding.node)
        eager = finding.fix is not None and finding.fix.kind is FixKind.KEEP_EAGER
        place = FixId(finding.rule.code, self._origin(span.start), self._origin(span.end), eager=eager)
        return replace(place, turn=self.turns[place])

    def row_before(self, finding: Finding, source: SourceFile) -> int:
        """Return the row before any fix that corresponds to a finding's row in the current text."""
        return self.first.location(self._origin(source.span(finding.node).start).offset)[0]

    def _origin(self, offset: int) -> FixOrigin:
        within: list[int] = []
        for done in reversed(self.passes):
            offset, inside = origin((owned.edit for owned in done), offset)
            if inside:
                within.append(inside)
        return FixOrigin(offset, tuple(within))
