"""The versions of one file's text while it is fixed: the findings of each, and the fix loop that leads through them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from hybridlint.checking.findings import analyze_file, position
from hybridlint.diagnostic import finding_span
from hybridlint.fixing.applied import Refused
from hybridlint.rule import Finding

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import Project
    from hybridlint.fixing.loop import FixOutcome
    from hybridlint.record.store import Shapes
    from hybridlint.rule import Rule
    from hybridlint.settings.suppress import Suppressions
    from hybridlint.text.source import SourceFile


class Choose(Protocol):
    """Returns a finding as it is to be fixed and reported, None if it is to be left out.

    `possible` says whether findings that can be neither proved nor refuted are asked for, where the settings leave them
    out.
    """

    def __call__(self, finding: Finding, source: SourceFile, *, possible: bool) -> Finding | None: ...  # noqa: D102


@dataclass(frozen=True, slots=True)
class Versions:
    """The findings of the versions of one file's text.

    `recorded` gives the input shapes seen in a real run, by class and input name. `known` has the findings of the texts
    that were analyzed before, possible ones included; new ones are added.
    """

    rules: Sequence[Rule]
    project: Project
    recorded: Mapping[str, Shapes]
    choose: Choose
    known: dict[str, list[Finding]] = field(default_factory=dict)

    def findings(self, source: SourceFile, *, possible: bool = False) -> list[Finding]:
        """Return the chosen findings of a text that no comment silences, in order of position."""
        found = self.known.get(source.text)
        if found is None:
            found = self.known[source.text] = self._analyzed(source)
        chosen = (self.choose(finding, source, possible=possible) for finding in found)
        return [finding for finding in chosen if finding is not None]

    def fixed(
        self, source: SourceFile, *, unsafe: bool, refused: Refused | None = None, tidy: bool = False
    ) -> FixOutcome:
        """Return a text after all permitted fixes but the refused ones."""
        from hybridlint.fixing.loop import fix_source

        return fix_source(
            source,
            self.findings,
            unsafe=unsafe,
            refused=refused,
            doubts=lambda now: self.findings(now, possible=True),
            tidy=tidy,
        )

    def offered(self, found: Sequence[Finding], source: SourceFile, refused: Refused) -> list[Finding]:
        """Return the findings of a text, with only those fixes marked as applicable that `fixed` would apply."""
        from hybridlint.fixing.offers import offered

        return offered(found, source, lambda unsafe: self.fixed(source, unsafe=unsafe, refused=refused))

    def _analyzed(self, source: SourceFile) -> list[Finding]:
        from hybridlint.settings.suppress import suppressions

        silenced = suppressions(source)
        found = [
            finding
            for finding in analyze_file(source, self.rules, self.project, possible=True, recorded=self.recorded)
            if not silenced.cover(finding.rule, *rows(finding, source))
        ]
        commented = self._of_comments(source, silenced)
        return sorted([*commented, *found], key=position) if commented else found

    def _of_comments(self, source: SourceFile, silenced: Suppressions) -> list[Finding]:
        """Return findings about faulty hybridlint comments. A bare ``# noqa`` does not silence them."""
        from hybridlint.settings.suppress import OWN_COMMENT

        if not OWN_COMMENT.search(source.text):
            return []
        from hybridlint.rules.unknown_directive import rule
        from hybridlint.settings.misnamed import misnamed

        found = misnamed(source, rule) if rule in self.rules else ()
        return [finding for finding in found if not silenced.name(rule, rows(finding, source)[0])]


def rows(finding: Finding, source: SourceFile) -> tuple[int, int, int]:
    """Return the rows on which a comment silences a finding: its first, its last, and the end of its first line."""
    from hybridlint.settings.suppress import noqa_row

    span = finding_span(finding, source)
    first, last = source.location(span.start)[0], source.location(span.end)[0]
    return first, last, noqa_row(source, first)
