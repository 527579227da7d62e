"""The choice of the fixes to offer: a finding is marked as fixable only if ``--fix`` would apply its fix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from hybridlint.fixing.finding_kinds import row_of
from hybridlint.fixing.fix_priority import is_fixable, keeps_eager
from hybridlint.fixing.withheld import may_be_held, may_be_in_vain, may_be_lost, may_be_unfinished
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.comments import lost_comment
from hybridlint.text.definitions import definition_at, groups
from hybridlint.text.edits import Applicability, Fix, choose_fixes

if TYPE_CHECKING:
    from hybridlint.fixing.findings_request import Asking
    from hybridlint.fixing.loop import FixOutcome
    from hybridlint.rule import Finding
    from hybridlint.text.source import SourceFile


@record(frozen=True, slots=True)
class Allowed:
    """The fixes that may be applied, besides safe ones."""

    unsafe: bool = False
    keep_eager: bool = False


#: A function that begins to fix a file in memory: which fixes it may apply, and which definitions of the module it
#: leaves as they are.
Fixer = Callable[[Allowed, frozenset[str]], "Asking[FixOutcome]"]


def mark_offered(findings: Sequence[Finding], source: SourceFile, fixer: Fixer) -> Asking[list[Finding]]:
    """Return the findings with fixes that ``--fix`` would not apply marked as display-only.

    The file is fixed in memory only if its fixes might interfere with each other, which is rare, and only in the
    definitions where they might.
    """
    if not source.faithful:
        return [_displayed(finding) for finding in findings]
    if not _doubtful(findings, source):
        return list(findings)
    concerned, without = _concerned(findings, source)
    safely = yield from _repaired(concerned, fixer, without, Allowed())
    unsafely = safely
    if _any_unsafe(concerned) or any(_is_step(f) for k, f in enumerate(concerned) if k not in safely):
        unsafely = yield from _repaired(concerned, fixer, without, Allowed(unsafe=True))
    eagerly: Mapping[int, Finding] = {}
    if _any_keeps_eager(f for k, f in enumerate(concerned) if k not in safely and k not in unsafely):
        found = yield from _repaired(concerned, fixer, without, Allowed(unsafe=True, keep_eager=True))
        eagerly = {number: way for number, way in found.items() if keeps_eager(way)}
    told = dict(zip(map(id, concerned), _truly_offered(concerned, safely, unsafely, eagerly), strict=True))
    return [told.get(id(finding), finding) for finding in findings]


def _concerned(findings: Sequence[Finding], source: SourceFile) -> tuple[Sequence[Finding], frozenset[str]]:
    """Return the findings that fixing may leave unfixed, and the definitions without such findings.

    Definitions that name each other are judged as one. Code outside of all may concern each.
    """
    number = groups(source.tree)
    apart: dict[int | None, list[Finding]] = {}
    for finding in findings:
        apart.setdefault(number.get(definition_at(source.tree, row_of(finding, source))), []).append(finding)
    doubtful = {group for group, found in apart.items() if _doubtful(found, source)}
    if not doubtful or None in apart:
        return findings, frozenset()
    concerned = {id(finding) for group in doubtful for finding in apart[group]}
    without = frozenset(name for name, group in number.items() if group not in doubtful)
    return [finding for finding in findings if id(finding) in concerned], without


def _doubtful(findings: Iterable[Finding], source: SourceFile) -> bool:
    """Whether running the fix loop is needed to know which of the fixes it applies.

    It is if a fix is tentative or has a class compiled, if two overlap, or if one would delete a comment, and if a
    repair of what raises may be held back, for something that silently differs, needs numbers, or has no fix.
    """
    findings = list(findings)
    if may_be_in_vain(findings) or may_be_lost(source, findings):
        return True
    if any(may_be(source, findings, unsafe=u) for may_be in (may_be_held, may_be_unfinished) for u in (False, True)):
        return True
    fixes = [f.fix for f in findings if f.fix is not None and f.fix.applicability is not Applicability.DISPLAY]
    if any(fix.kind.is_tentative or fix.compiles for fix in fixes) or len(choose_fixes(fixes)) < len(fixes):
        return True
    rewritten = [comment for fix in fixes for comment in fix.rewrites]
    return lost_comment(source.text, [edit for fix in fixes for edit in fix.edits], rewritten) is not None


def _any_unsafe(findings: Iterable[Finding]) -> bool:
    ways = (way for finding in findings for way in finding.ways())
    return any(way.fix is not None and way.fix.applicability is Applicability.UNSAFE for way in ways)


def _is_step(finding: Finding) -> bool:
    """Whether a finding has a fix that is useful only before other fixes, which may be unsafe."""
    return any(way.fix is not None and way.fix.kind.is_tentative and not keeps_eager(way) for way in finding.ways())


def _any_keeps_eager(findings: Iterable[Finding]) -> bool:
    return any(keeps_eager(way) for finding in findings for way in finding.ways())


def _repaired(
    findings: Sequence[Finding], fixer: Fixer, without: frozenset[str], allowed: Allowed
) -> Asking[Mapping[int, Finding]]:
    """Return the findings that fixing repairs, each with the fix that does it, by their indices."""
    ways = (way for finding in findings for way in finding.ways())
    if not any(is_fixable(way, unsafe=allowed.unsafe, keep_eager=allowed.keep_eager) for way in ways):
        return {}
    outcome = yield from fixer(allowed, without)
    repaired = {(f.rule.code, f.message, f.node): f for f in (*outcome.repaired, *outcome.kept_eager)}
    found = ((k, repaired.get((f.rule.code, f.message, f.node))) for k, f in enumerate(findings))
    return {k: way for k, way in found if way is not None}


def _truly_offered(
    findings: Iterable[Finding],
    safely: Mapping[int, Finding],
    unsafely: Mapping[int, Finding],
    eagerly: Mapping[int, Finding],
) -> Iterator[Finding]:
    for number, finding in enumerate(findings):
        if number in safely:
            yield safely[number]
        elif number in unsafely:
            yield _with(unsafely[number], Applicability.UNSAFE)
        elif number in eagerly:
            yield eagerly[number]
        else:
            yield _displayed(finding)


def _displayed(finding: Finding) -> Finding:
    """Return a finding with its fix marked display-only; a tentative fix is removed."""
    fix = finding.fix
    if fix is not None and fix.kind.is_tentative and fix.applicability is not Applicability.DISPLAY:
        return replace(finding, fix=None)
    return _with(finding, Applicability.DISPLAY)


def _with(finding: Finding, applicability: Applicability) -> Finding:
    fix: Fix | None = finding.fix
    return finding if fix is None else replace(finding, fix=replace(fix, applicability=applicability))
