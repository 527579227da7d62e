"""The findings of the versions of one file's text, for the work that asks for them: checks and fixes."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol, TypeVar

from hybridlint.checking.check_limits import allow_fixes
from hybridlint.checking.findings import PartialAnalysis, analyze_file, position, with_fix, with_line_endings
from hybridlint.core.diagnostic import finding_span
from hybridlint.rule import Finding, Severity
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.definitions import definition_at
from hybridlint.text.syntax import each

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import Project
    from hybridlint.fixing.findings_request import Asking
    from hybridlint.project.settings.suppress import Suppressions
    from hybridlint.proving.recording.store import Shapes
    from hybridlint.rule import Rule
    from hybridlint.runtime.facts.declared import DeclaredShapes
    from hybridlint.text.source import SourceFile

T = TypeVar("T")

#: The rule of functions that were not checked whole: what a comment in them silences is not known.
_UNFINISHED = "HYB002"


class FindingFilter(Protocol):
    """Returns a finding as it is to be fixed and reported, None if it is to be left out.

    `possible` says whether findings that can be neither proved nor refuted are asked for, where the settings leave them
    out.
    """

    def __call__(self, finding: Finding, source: SourceFile, *, possible: bool) -> Finding | None: ...  # noqa: D102


@record(frozen=True, slots=True)
class TextVersions:
    """The findings of the versions of one file's text.

    `recorded` gives the input shapes seen in a real run, by class and input name, and `declared` the project's own
    operators. `known` has the findings of the texts
    that were analyzed before, possible ones included; new ones are added. No comment silences what `protected` selects.
    """

    rules: Sequence[Rule]
    project: Project
    recorded: Mapping[str, Shapes]
    declared: Mapping[str, DeclaredShapes]
    choose: FindingFilter
    known: dict[str, list[Finding]] = field(default_factory=dict)
    protected: tuple[str, ...] = ()
    #: Whether comments silence findings.
    comments: bool = True
    #: The analyses that are under way, by their texts.
    begun: dict[str, PartialAnalysis] = field(default_factory=dict)
    #: The findings of texts without those in some definitions.
    parts: dict[tuple[str, frozenset[str]], list[Finding]] = field(default_factory=dict)

    def answered(self, work: Asking[T]) -> T:
        """Run work that asks for the findings of texts: the chosen ones that no comment silences, in order."""
        # The one way from a check to the analysis: whatever needs findings is work that is run here.
        try:
            asked = next(work)
            while True:
                source = asked.source
                without = asked.without if self._is_apart(source) else frozenset()
                key = source.text, without
                found = self.known.get(source.text, self.parts.get(key))
                if found is None:
                    begun = self.begun[source.text] = PartialAnalysis()
                    # Possible findings are rarely asked for, and their fixes would take a twentieth of a check.
                    found = analyze_file(
                        source,
                        self.rules,
                        self.project,
                        possible=True,
                        fixes_later=True,
                        recorded=self.recorded,
                        declared=self.declared,
                        draft=bool(self.known),
                        without=without,
                        begun=begun,
                    )
                    if not self.known:
                        allow_fixes(sum(f.severity is not Severity.POSSIBLE for f in found))
                    found = self._with_comments(found, source)
                    if without:
                        self.parts[key] = found
                    else:
                        self.known[source.text] = found
                    del self.begun[source.text]
                asked_for = (f for f in found if not asked.without or not _is_in(f, source, asked.without))
                chosen = (self.choose(finding, source, possible=asked.possible) for finding in asked_for)
                kept = (finding for finding in chosen if finding is not None)
                asked = work.send([f if f.later is None else with_fix(f, source) for f in kept])
        except StopIteration as end:
            result: T = end.value
            return result

    def go_on(self, source: SourceFile) -> None:
        """Show the rules what the analysis of a text came to before it was broken off."""
        if source.text in self.begun:
            self.begun[source.text].go_on(self.rules, source)

    def so_far(self, source: SourceFile) -> list[Finding]:
        """Return the findings in a text before its check was cut short, without silenced findings.

        There are no fixes: whether they work is not known.
        """
        found = self.known.get(source.text)
        if found is None:
            begun = self.begun.get(source.text, PartialAnalysis())
            found = [f for f in begun.so_far(source) if not self._silenced(source).cover(f.rule, *rows(f, source))]
        chosen = (self.choose(finding, source, possible=False) for finding in found)
        return [replace(f, fix=None, otherwise=None, later=None) for f in chosen if f is not None]

    def _is_apart(self, source: SourceFile) -> bool:
        """Whether findings in one definition do not depend on those in others, as those about needless comments do."""
        from hybridlint.project.settings.suppress import OWN_COMMENT

        return not OWN_COMMENT.search(source.text)

    def _silenced(self, source: SourceFile) -> Suppressions:
        from hybridlint.project.settings.suppress import Suppressions, suppressions

        return suppressions(source, self.protected) if self.comments else Suppressions()

    def _with_comments(self, found: Sequence[Finding], source: SourceFile) -> list[Finding]:
        """Return the findings that no comment silences, and those about comments without effect."""
        from hybridlint.project.settings.suppress import OWN_COMMENT

        silenced = self._silenced(source)
        kept = [
            finding
            for finding in found
            if not silenced.cover(finding.rule, *rows(finding, source))
            and not self._is_silenced_where_it_happens(finding)
        ]
        if not OWN_COMMENT.search(source.text):
            return kept
        commented = self._of_comments(source, silenced, found)
        return sorted([*commented, *kept], key=position) if commented else kept

    def _is_silenced_where_it_happens(self, finding: Finding) -> bool:
        """Whether a comment in the other file silences a finding that happens in a function of that file."""
        callee = finding.callee
        if callee is None:
            return False
        inner = replace(finding, node=callee.node, callee=None)
        return self._silenced(callee.source).cover(finding.rule, *rows(inner, callee.source))

    def _of_comments(self, source: SourceFile, silenced: Suppressions, found: Sequence[Finding]) -> list[Finding]:
        """Return findings about comments without effect. A bare ``# noqa`` does not silence them."""
        from hybridlint.project.settings.unknown_directives import unknown_directives
        from hybridlint.project.settings.unused import needless_ends, unused_comments
        from hybridlint.rules import unknown_directive, unused_suppression

        told: list[Finding] = []
        if unknown_directive.rule in self.rules:
            told += unknown_directives(source, unknown_directive.rule)
        rule = unused_suppression.rule
        whole = source.refused is None and not any(f.rule.code == _UNFINISHED for f in found)
        if rule in self.rules and self.comments and whole:
            places = [(finding.rule, rows(finding, source)) for finding in (*found, *told)]
            told += (
                f
                for f in unused_comments(source, silenced, places, self.rules, rule)
                if not _may_serve_callers(f, source)
            )
            told += needless_ends(source, silenced, rule)
        return [
            with_line_endings(finding, source)
            for finding in told
            if not silenced.name(finding.rule, rows(finding, source)[0])
        ]


def _may_serve_callers(finding: Finding, source: SourceFile) -> bool:
    """Whether a comment is in code that only blocks of other files run, and so silences findings of those files."""
    from hybridlint.analysis.mxnet.classes import ENTRY

    name = definition_at(source.tree, source.location(source.span(finding.node).start)[0])
    defined = next((node for node in source.tree.body if getattr(node, "name", None) == name), None)
    if defined is None or any(part.name == ENTRY for part in each(defined, ast.FunctionDef)):
        return False
    from hybridlint.checking.callers import is_imported

    return is_imported(source.path)


def _is_in(finding: Finding, source: SourceFile, names: frozenset[str]) -> bool:
    """Whether a finding is in one of these definitions of a module."""
    return definition_at(source.tree, source.location(source.span(finding.node).start)[0]) in names


def rows(finding: Finding, source: SourceFile) -> tuple[int, int, int]:
    """Return the rows where a comment silences a finding: first, last, and end of the first line."""
    from hybridlint.text.comment_rows import noqa_row

    span = finding_span(finding, source)
    first, last = source.location(span.start)[0], source.location(span.end)[0]
    return first, last, noqa_row(source, first)


@record(slots=True)
class RefixState:
    """Data that a check keeps for fixing the same file again with fewer fixes; empty before the first check."""

    source: SourceFile | None = None
    versions: TextVersions | None = None
    #: The other files, where they are not those on disk.
    project: Project | None = None
