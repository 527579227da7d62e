"""Whether edits may be made: the file still parses, can be written in its encoding, and keeps its comments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hybridlint.fixing.fix_priority import fixes_of
from hybridlint.fixing.tidy import TIDYING, Tidy
from hybridlint.rule import Finding
from hybridlint.text.comments import lost_comment
from hybridlint.text.edits import Edit, apply_edits
from hybridlint.text.imports import with_imports
from hybridlint.text.line_endings import with_endings_of
from hybridlint.text.source import SourceError, SourceFile, with_text


def sound(source: SourceFile, findings: list[Finding]) -> tuple[list[Finding], list[tuple[Finding, str]]]:
    """Return the findings whose fixes can be applied together, and others, each with the objection to its fix.

    A fix that can only be applied without the others is in neither: there is another one for what these leave.
    """
    if not findings or objection(source, findings) is None:
        return findings, []
    good: list[Finding] = []
    objections: list[tuple[Finding, str]] = []
    for finding in findings:
        reason = objection(source, [*good, finding])
        if reason is None:
            good.append(finding)
        elif not good or (reason := objection(source, [finding])) is not None:
            objections.append((finding, reason))
    return good, objections


def objection(source: SourceFile, findings: Sequence[Finding]) -> str | None:
    """Return the reason why these fixes cannot be applied together, or None."""
    try:
        edits = with_imports(source, fixes_of(findings))
    except SourceError as error:
        return f"an import that it needs cannot be added: {error}"
    return objection_to(source, edits, [comment for fix in fixes_of(findings) for comment in fix.rewrites])


def objection_to(source: SourceFile, edits: Sequence[Edit], rewritten: Iterable[str] = ()) -> str | None:
    """Return the reason why the edits cannot be applied, or None."""
    try:
        text = apply_edits(source.text, edits)
        text.encode(source.encoding)
        with_text(source, text).tree  # noqa: B018 - raises where it does not parse
    except (SourceError, ValueError):
        return "the file would no longer parse"
    lost = lost_comment(source.text, edits, rewritten)
    return None if lost is None else f"the comment `{lost}` would be lost"


def tidy_file(before: SourceFile, after: SourceFile) -> SourceFile:
    """Return a changed file without imports that are unused now, and with lines wrapped that became too long."""
    for tidy in TIDYING:
        edits = sound_edits(tidy, before, after)
        after = apply_to_file(after, edits) if edits else after
    return after


def sound_edits(tidy: Tidy, before: SourceFile, after: SourceFile) -> list[Edit]:
    """Return the edits that tidy a changed file; none if any of them cannot be made."""
    edits = with_endings_of(after.text, tidy(before, after))
    return edits if edits and objection_to(after, edits) is None else []


def apply_to_file(source: SourceFile, edits: Sequence[Edit]) -> SourceFile:
    """Return the file with edits made."""
    return with_text(source, apply_edits(source.text, edits))
