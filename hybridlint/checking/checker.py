"""The check of one file, from bytes to diagnostics, with or without fixing; the job of a worker process."""

from __future__ import annotations

import gc
import os
from contextlib import suppress
from dataclasses import field
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from hybridlint.checking.check_limits import MEMORY, OutOfBoundsError, bound_resources
from hybridlint.checking.text_versions import FindingFilter, RefixState, TextVersions, rows
from hybridlint.core.diagnostic import Diagnostic, SourceLocation, diagnose
from hybridlint.core.result import Fixed, Refix, Result
from hybridlint.project.documents.document import form_of, read_source, text_of
from hybridlint.proving.recording.store import load_record
from hybridlint.rule import Severity
from hybridlint.runtime.facts.records import record, replace
from hybridlint.system.call_depth import deep
from hybridlint.text.screening import may_be_hybrid
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hybridlint.analysis.project.program import Project
    from hybridlint.core.applied_fixes import Refused
    from hybridlint.core.hover import HoverInfo
    from hybridlint.fixing.loop import FixOutcome
    from hybridlint.project.settings.config import Config
    from hybridlint.proving.recording.store import Shapes
    from hybridlint.rule import Finding, Rule
    from hybridlint.system.file_identity import FileIdentity

#: Characters of source that a process keeps in memory. Trees and analysis results take about 40 bytes a character.
_MOST_AT_HAND = 1_500_000
#: Seconds of processor time and bytes that telling what a check had found may take, once that has failed.
_TELLING, _MOST_TO_TELL = 1, 50_000_000
_SO_FAR = "only what was found until the check was broken off is reported, without fixes"


@record(frozen=True)
class Job:
    """A file to check: its bytes as read from disk, and its settings."""

    path: Path
    data: bytes
    config: Config
    fix: bool = False
    unsafe: bool = False
    #: Whether classes that no fix can compile are kept eager.
    keep_eager: bool = False
    #: Fixes that must not be applied, each with the reason.
    refused: Refused = field(default_factory=dict)
    #: Whether the result lists the files it depends on.
    linked: bool = False
    #: Identity of the file on disk, if it may be written: it detects that another file has taken its path.
    identity: FileIdentity | None = None
    #: What an earlier check of the same bytes has kept; the first check fills it.
    kept: RefixState | None = None

    @cached_property
    def hybrid(self) -> bool:
        """Whether the file may contain hybrid code."""
        return may_be_hybrid(self.data, plain=self._asks_for_more)

    @property
    def _asks_for_more(self) -> bool:
        """Whether the settings enable a rule that is off by default."""
        if all(selector == "ALL" for selector in (*self.config.select, *self.config.extend_select)):
            return False
        from hybridlint.project.settings.selection import rules_for

        return any(not rule.default for rule in rules_for(self.config, self.path))


#: Held while a file is analyzed: analyses share what is known of other files, which is made for one thread.
_ANALYZING = Lock()
if hasattr(os, "register_at_fork"):
    # Fork only while no thread analyzes: the child would have the held lock, but not the thread to release it.
    os.register_at_fork(
        before=_ANALYZING.acquire, after_in_parent=_ANALYZING.release, after_in_child=_ANALYZING.release
    )


def check(job: Job) -> Result:
    """Check one file, and fix it in memory if the job asks for it. Never raises: a failure is part of the result."""
    kept = RefixState() if job.kept is None else job.kept
    try:
        with deep(), bound_resources():
            return _check(job, kept)
    except RecursionError:
        failure = "the code is nested too deeply to be analyzed"
    except MemoryError:
        failure = f"the check needs more than {MEMORY // 10**6} MB of memory: divide the file, or `exclude` it"
    except OutOfBoundsError as error:
        failure = f"the check takes more than {error.seconds:g} s of processor time: divide the file, or `exclude` it"
    except Exception:
        import traceback

        failure = f"the analysis crashed; please report this:\n{traceback.format_exc()}"
    found = _so_far(job, kept)
    # What the check has left half done is not used again.
    _Shared.project = kept.source = kept.versions = None
    gc.collect()
    if found.diagnostics:
        failure = f"{_SO_FAR}; {failure}" if "\n" in failure else f"{failure}; {_SO_FAR}"
    return replace(found, failure=failure)


def _so_far(job: Job, kept: RefixState) -> Result:
    """Return the findings of a check before it was cut short, using few resources."""
    source, versions = kept.source, kept.versions
    if source is None or versions is None:
        return Result(job.path)
    given_up = (Exception, OutOfBoundsError)
    with _ANALYZING:
        with suppress(*given_up), deep(), bound_resources(_TELLING, _MOST_TO_TELL):
            versions.go_on(source)
        with suppress(*given_up), deep(), bound_resources(_TELLING, _MOST_TO_TELL):
            return _report(job.path, source, versions.so_far(source))
    return Result(job.path)


def _check(job: Job, kept: RefixState) -> Result:
    try:
        if job.hybrid:
            with _ANALYZING:
                return _check_source(job, *_begun(job, kept))
        read_source(job.path, job.data).check_syntax()
    except SourceError as error:
        return _unparsable(job, error)
    return Result(job.path)


def inferred_in(path: Path, data: bytes, config: Config) -> list[HoverInfo]:
    """Return the inferred values of the names in a file; nothing if it does not parse."""
    from hybridlint.checking.hover_values import infer_values
    from hybridlint.project.settings.operators import declared_operators

    try:
        source = read_source(path, data)
        with _ANALYZING:
            return infer_values(source, _recorded(config, path, source.text), declared_operators(config))
    except (SourceError, RecursionError):
        return []


def forget() -> None:
    """Forget the analysis of other files, which may have changed: for processes that live long."""
    with _ANALYZING:
        _Shared.project = None


def refixing(job: Job) -> Refix:
    """Return a function that fixes the file of a job again; a text that was analyzed is not analyzed again."""
    kept = RefixState() if job.kept is None else job.kept

    def again(refused: Refused) -> Result:
        return check(replace(job, fix=True, refused=refused, linked=False, kept=kept))

    return again


def fixed_draft(
    source: SourceFile, project: Project, config: Config, choose: FindingFilter, more: Sequence[Rule] = ()
) -> FixOutcome:
    """Fix in memory a text that a conversion wrote, whatever rules the settings select; see `Pipeline.fixed_draft`."""
    from hybridlint.fixing.loop import fixing
    from hybridlint.project.settings.operators import declared_operators
    from hybridlint.rule import default_rules

    recorded = _recorded(config, source.path, source.text)
    with _ANALYZING:
        return TextVersions((*default_rules(), *more), project, recorded, declared_operators(config), choose).answered(
            fixing(source, unsafe=True, tidy=False)
        )


def _begun(job: Job, kept: RefixState) -> tuple[SourceFile, TextVersions]:
    """Return the source of a job and the findings of its versions, cached for the next check of equal bytes."""
    if kept.source is not None and kept.versions is not None:
        return kept.source, kept.versions
    from hybridlint.project.settings.operators import declared_operators
    from hybridlint.project.settings.selection import rules_for

    source, project = _prepared(read_source(job.path, job.data), kept.project, is_kept=job.kept is not None)
    source.read_leniently()
    rules, recorded = rules_for(job.config, job.path), _recorded(job.config, job.path, source.text)
    kept.source = source
    choose = _with_possible if job.config.possible else _without_possible
    unfixed = _unfixed(rules, job.config)
    kept.versions = TextVersions(
        rules,
        project,
        recorded,
        declared_operators(job.config),
        _without_fixes(unfixed, choose) if unfixed else choose,
        protected=job.config.unsuppressible,
        comments=not job.config.ignore_noqa,
    )
    return source, kept.versions


def _check_source(job: Job, source: SourceFile, versions: TextVersions) -> Result:
    from hybridlint.fixing.file_check import findings_of, fixes_of

    if job.fix and source.faithful and not source.refused:
        outcome, left = versions.answered(fixes_of(source, job.refused, unsafe=job.unsafe, keep_eager=job.keep_eager))
        fixed = Fixed(
            source.text,
            outcome.source.text,
            source.encoding,
            tuple(finding.rule.code for finding in outcome.repaired),
            outcome.applied,
            outcome.dropped,
            outcome.passes,
            job.identity,
            None if form_of(job.path) is None else job.data,
            *_besides(outcome),
            kept_eager=len(outcome.kept_eager),
            blocks=outcome.blocks,
        )
        result = _report(job.path, outcome.source, left, fixed)
    else:
        found, shown = versions.answered(findings_of(source, job.refused))
        result = _report(job.path, source, shown, _left_alone(job, source, found))
        if source.refused is not None:
            result = _with_refusal(job, source, result, source.refused)
    return replace(result, links=tuple(versions.project.files.news())) if job.linked else result


def _besides(outcome: FixOutcome) -> tuple[int, int]:
    """Return how many other findings are gone besides the fixed ones, and how many are new."""
    gone = outcome.initial - len(outcome.findings)
    answered = len(outcome.repaired) + len(outcome.kept_eager)
    return max(0, gone - answered), max(0, answered - gone)


def _left_alone(job: Job, source: SourceFile, found: Sequence[Finding]) -> Fixed | None:
    """Return a result in which no fix is applied, as the file cannot be written; None without ``--fix``."""
    from hybridlint.fixing.state import dropped_fixes

    if not job.fix:
        return None
    reason = f"its encoding, {source.encoding}, does not give back the bytes of the file; save it as UTF-8"
    if form_of(job.path) is not None:
        reason = "the document is written in a way that would not be kept; open it and save it with its own program"
    if source.refused is not None:
        reason = "the file is in the syntax of Python 2; translate it first"
    drops = tuple(dropped_fixes(found, source, reason, unsafe=job.unsafe, keep_eager=job.keep_eager))
    return Fixed(source.text, source.text, source.encoding, dropped=drops)


def _recorded(config: Config, path: Path, text: str) -> Mapping[str, Shapes]:
    """Return the recorded input shapes of the file's classes, as the classes are before any fix."""
    record = load_record(config.root, config.recorded)
    return {} if record is None else record.shapes(path, text)


def _with_possible(finding: Finding, source: SourceFile, *, possible: bool) -> Finding:
    return finding


def _without_possible(finding: Finding, source: SourceFile, *, possible: bool) -> Finding | None:
    return finding if possible or finding.severity is not Severity.POSSIBLE else None


def _unfixed(rules: Sequence[Rule], config: Config) -> frozenset[str]:
    """Return the codes of the rules whose findings the settings leave unfixed."""
    if config.fixable == ("ALL",) and not config.unfixable:
        return frozenset()
    from hybridlint.project.settings.selection import may_fix

    return frozenset(rule.code for rule in rules if not may_fix(rule, config))


def _without_fixes(codes: frozenset[str], choose: FindingFilter) -> FindingFilter:
    """Return a filter of findings that removes the fixes of some rules."""

    def chosen(finding: Finding, source: SourceFile, *, possible: bool) -> Finding | None:
        kept = choose(finding, source, possible=possible)
        if kept is None or kept.rule.code not in codes:
            return kept
        return replace(kept, fix=None, otherwise=None, later=None)

    return chosen


class _Shared:
    """The analysis of other files, shared by all checks of this process."""

    project: Project | None = None
    #: Whether findings that refer to its files are kept for another fixing.
    is_kept = False


def _prepared(source: SourceFile, project: Project | None, *, is_kept: bool) -> tuple[SourceFile, Project]:
    """Return the source and the analysis of other files: the given one, or the one that all checks share.

    The source may be the one that was already read for another file that imports it. An analysis that has grown large
    is discarded, and a new one begun.
    """
    from hybridlint.analysis.interpret import new_project

    if project is not None:
        return source, project
    project = _Shared.project
    if project is not None and project.size > _MOST_AT_HAND:
        project.discard(in_use=_Shared.is_kept)
        if _Shared.is_kept:
            gc.collect()
        _Shared.project, _Shared.is_kept, project = None, False, None
    if project is None:
        _Shared.project = project = new_project()
    _Shared.is_kept |= is_kept
    return project.at_hand(source), project


def _report(path: Path, source: SourceFile, found: Sequence[Finding], fixed: Fixed | None = None) -> Result:
    diagnostics = tuple(diagnose(finding, source, rows(finding, source)[2]) for finding in found)
    return Result(path, source.text if found else "", diagnostics, fixed)


def _unparsable(job: Job, error: SourceError) -> Result:
    reported = _syntax_errors(job, error, "nothing else in the file was checked")
    return Result(job.path, text_of(job.path, job.data) if reported else "", reported)


def _with_refusal(job: Job, source: SourceFile, result: Result, refused: SourceError) -> Result:
    """Return the result of a file read as Python 2, with the finding that it is Python 2."""
    reported = _syntax_errors(job, refused, "the file was checked as Python 2, without fixes")
    diagnostics = sorted((*reported, *result.diagnostics), key=lambda d: d.location)
    return replace(result, text=source.text if diagnostics else "", diagnostics=tuple(diagnostics))


def _syntax_errors(job: Job, error: SourceError, consequence: str) -> tuple[Diagnostic, ...]:
    """Return the finding that a file does not parse, followed by `consequence`; nothing if the settings ignore it."""
    from hybridlint.project.settings.selection import holds, per_file_ignores
    from hybridlint.rules.invalid_syntax import rule

    if not holds(rule, job.config, per_file_ignores(job.config, job.path)):
        return ()
    start = SourceLocation(error.row, max(error.column, 1))
    end = SourceLocation(error.row, start.column + 1)
    message = f"{error.reason}; {consequence}"
    return (
        Diagnostic(rule.code, rule.name, rule.severity.value, message, start, end, noqa_row=start.row, url=rule.url),
    )
