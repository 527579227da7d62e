"""The pipeline that every command and the library use: analyze and fix in memory, prove, settle, write.

Files, standard input, the library, the codemod and `hybridlint verify` all take the same steps. Each step gets the
results of the one before. `hybridlint hybridize` takes them for one draft after another: it converts a text, has the
draft fixed and proved, and converts less if that fails.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from hybridlint.checking.callee_findings import move_to_callees
from hybridlint.checking.checker import Job, fixed_draft, forget, inferred_in, refixing
from hybridlint.checking.file_writing import write_result
from hybridlint.checking.session import CheckSession, Fixing, Known, Selection
from hybridlint.checking.text_versions import RefixState
from hybridlint.core.result import Refix, Result
from hybridlint.project.documents.document import NOT_RUN, form_of
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.screening import may_be_hybrid

if TYPE_CHECKING:
    from hybridlint.analysis.project.program import Project
    from hybridlint.checking.text_versions import FindingFilter
    from hybridlint.core import proof_outcome as proof
    from hybridlint.core.applied_fixes import FixId
    from hybridlint.core.hover import HoverInfo
    from hybridlint.core.review import Ask
    from hybridlint.fixing.loop import FixOutcome
    from hybridlint.project.adoption.base_revision import BaseRevision
    from hybridlint.project.adoption.baselines import BaselineMatch as KnownFindings
    from hybridlint.project.settings.config import Config
    from hybridlint.proving.directive_files import Added
    from hybridlint.proving.outcome_cache import OutcomeCache
    from hybridlint.proving.progress import Progress
    from hybridlint.rule import Rule
    from hybridlint.text.source import SourceFile

    Display: TypeAlias = Callable[[], AbstractContextManager[Progress | None]]


__all__ = ["Pipeline", "PipelineResult", "PipelineSteps", "forget", "try_rule"]


def try_rule(rule: Rule) -> list[str]:
    """Return the faults of a rule, found by the examples on its page; nothing if it does what they say."""
    from hybridlint.checking.rule_trial import problems

    return problems(rule)


@record(frozen=True, slots=True)
class PipelineSteps:
    """The optional steps of a check.

    `prove` proves fixes; `stands` proves every block as it is, without a fix. `written` says that the report is about
    the files after the fixes are written, otherwise about the files as they are now. Without `find` there are only
    proofs, and no findings. `keep_eager` lets classes stay eager that no fix can compile. With `new`, findings that
    the project's baseline holds are left out.
    """

    find: bool = True
    fix: bool = False
    unsafe: bool = False
    keep_eager: bool = False
    prove: bool = False
    stands: bool = False
    written: bool = True
    add_directives: bool = False
    new: bool = False


@record(frozen=True, slots=True)
class PipelineResult:
    """The results in the order of the files.

    `added` holds the directives that were written, if any were asked for, and `known` what baselines hold.
    """

    results: tuple[Result, ...]
    added: tuple[Added, ...] = ()
    known: KnownFindings | None = None


class Pipeline:
    """Takes files, or a text that is in no file, through the same steps in the same order.

    `progress` makes the display of the progress of proofs. `ask` is asked which fixes of files are to be written;
    without it all are.
    """

    def __init__(
        self, session: CheckSession, steps: PipelineSteps, progress: Display = nullcontext, ask: Ask | None = None
    ) -> None:
        self._session = session
        self._steps = steps
        self._progress = progress
        self._ask = ask
        #: Kept where fixes are proved or chosen, and may be made again.
        self._known: Known | None = {} if steps.fix and (steps.prove or ask is not None) else None

    def of_files(
        self,
        files: Sequence[Path],
        blocks: Mapping[Path, Collection[str]] | None = None,
        *,
        selection: Selection | None = None,
        base: BaseRevision | None = None,
    ) -> PipelineResult:
        """Take files through all steps. Raises UsageError for settings with which no proof is possible.

        `blocks` has, by absolute path, the blocks of a file that are proved as they are; of other files all are.
        Files around those that a selection names are checked besides, for what they tell of functions in these.
        Findings that the base revision has too are left out.
        """
        self._check_settings_of_proofs(files)
        if self._steps.stands:
            return self._standing(files, blocks or {})
        steps = self._steps
        results = self._judged(self._new_since(base, self._session.check(files, self._fixing)))
        if self._ask is not None:
            from hybridlint.checking.interactive_review import review_fixes

            results = review_fixes(results, list(map(self._refix, results)), self._ask)
        if steps.fix and steps.written:
            results = self.write(results)
        outcome = PipelineResult(tuple(results))
        if steps.add_directives and not self._is_stopped:
            outcome = self._with_directives(results)
        callers = self._new_since(base, self._checked_callers(files, selection))
        # What is new in a caller that has not changed itself is new by the files that it calls.
        unchanged = [c for c in callers if c.diagnostics and base is not None and not base.has_changed(c.path)]
        others = [caller for caller in callers if caller not in unchanged]
        results = move_to_callees([*outcome.results, *unchanged], others, self._session.config)
        outcome = replace(outcome, results=tuple(results))
        return self._without_known(outcome) if steps.new else outcome

    @property
    def _is_stopped(self) -> bool:
        """Whether the user has ended the proofs of this run."""
        if not self._steps.prove:
            return False
        from hybridlint.proving.stopping import is_stopped

        return is_stopped()

    def _checked_callers(self, files: Sequence[Path], selection: Selection | None) -> list[Result]:
        """Return the results of the files that call into named ones among the files of a check."""
        if selection is None or not selection.around:
            return []
        from hybridlint.checking.callers import callers_of

        callers = callers_of(set(selection.named).intersection(files), files, selection.around)
        return self._session.check(callers) if callers else []

    def _new_since(self, base: BaseRevision | None, results: list[Result]) -> list[Result]:
        if base is None:
            return results
        from hybridlint.checking.base_findings import without_known

        return without_known(results, base, self._session.config)

    def of_text(self, path: Path, data: bytes) -> PipelineResult:
        """Take bytes, reported as the file `path`, through all steps except writing to disk."""
        result = self._session.check_text(path, data, self._fixing)
        outcome = PipelineResult(tuple(self._judged([result])))
        return self._without_known(outcome) if self._steps.new else outcome

    def fixed_class(self, path: Path, data: bytes, name: str) -> Result:
        """Return bytes with the fixes in one class made in memory, and no others. The name is qualified."""
        result = self._session.check_text(path, data, self._fixing)
        again = self._refix(result)
        refused: dict[FixId, str] = {}
        while result.fixed is not None:
            elsewhere = {fix.id for fix in result.fixed.applied if fix.block != name} - refused.keys()
            if not elsewhere:
                break
            refused |= dict.fromkeys(elsewhere, f"it is not in `{name}`")
            result = again(refused)
        return result

    def fixed_draft(
        self, source: SourceFile, project: Project, choose: FindingFilter, more: Sequence[Rule] = ()
    ) -> FixOutcome:
        """Return a converted text after all fixes, unsafe ones too, independently of the selected rules.

        `choose` picks the findings that concern the conversion. `project` knows the other files as they are converted.
        `more` are rules of the conversion itself.
        """
        return fixed_draft(source, project, self._session.config(source.path.parent), choose, more)

    def proved_draft(
        self, before: SourceFile, after: SourceFile, blocks: Collection[str], others: Mapping[Path, str]
    ) -> list[proof.ProofOutcome]:
        """Prove some blocks of a file before and after a conversion. `others` has the new texts of other files."""
        from hybridlint.proving.configured_blocks import proof_settings
        from hybridlint.proving.prover import prove_file

        settings = proof_settings(self._session.config(before.path.parent))
        settings = replace(settings, beside=dict(others), timed=True)
        with self._progress() as show:
            return prove_file(before.path, before.text, after.text, settings, blocks=blocks, progress=show)

    def proved_text(self, path: Path, text: str, blocks: Collection[str]) -> list[proof.ProofOutcome]:
        """Prove some blocks of a text, reported as the file `path`, as they are."""
        from hybridlint.proving.configured_blocks import proof_settings
        from hybridlint.proving.prover import prove_file

        with self._progress() as show:
            return prove_file(
                path, text, None, proof_settings(self._session.config(path.parent)), blocks=blocks, progress=show
            )

    def blocks(self, path: Path, text: str) -> dict[str, int]:
        """Return the blocks of a text that a proof covers, each with its row; none if it does not parse."""
        from hybridlint.proving.blocks import block_rows
        from hybridlint.text.source import SourceFile

        return block_rows(SourceFile(path, text)) if may_be_hybrid(text) else {}

    def rows_of_node(self, source: SourceFile, class_name: str, node: str) -> tuple[int, ...]:
        """Return the rows of a class that may make a node of its graph, none if that is unknown."""
        from hybridlint.checking.graph_nodes import rows_of_node
        from hybridlint.text.source import SourceError

        try:
            return rows_of_node(source, class_name, node)
        except (SourceError, RecursionError):
            return ()

    def inferred(self, path: Path, data: bytes) -> list[HoverInfo]:
        """Return the inferred values of the names in bytes, read as the content of the file `path`."""
        return inferred_in(path, data, self._session.config(path.parent))

    def inferred_in_cells(self, path: Path, data: bytes) -> dict[int, list[HoverInfo]]:
        """Return the same for the bytes of a notebook, by the numbers of its cells."""
        from hybridlint.project.documents.document import read_source
        from hybridlint.project.documents.places import inferred_in_cells

        return inferred_in_cells(read_source(path, data).text, self.inferred(path, data))

    @property
    def _fixing(self) -> Fixing:
        """What the steps ask of the session."""
        return Fixing(self._steps.fix, self._steps.unsafe, self._steps.keep_eager, self._known)

    def write(self, results: Sequence[Result]) -> list[Result]:
        """Write each fixed file, and return the results; one whose file cannot be written says so in its `failure`."""
        return [write_result(result, self._config(result)) for result in results]

    def protected(self, result: Result) -> tuple[str, ...]:
        """Return the selectors of the rules that no comment in a file may silence."""
        return self._config(result).unsuppressible

    def as_it_is(self) -> Pipeline:
        """Return a pipeline that only analyzes, for reports on files before any fix."""
        return Pipeline(self._session, PipelineSteps(new=self._steps.new))

    def _without_known(self, outcome: PipelineResult) -> PipelineResult:
        from hybridlint.project.adoption.baselines import without_known

        results, known = without_known(outcome.results, [self._config(result).root for result in outcome.results])
        return replace(outcome, results=tuple(results), known=known)

    def _judged(self, results: Sequence[Result]) -> list[Result]:
        """Prove and settle the results of modules. Documents are not run."""
        modules = [result for result in results if form_of(result.path) is None]
        judged = iter(self._settled(self._proved(modules)))
        return [next(judged) if form_of(result.path) is None else self._unproved(result) for result in results]

    def _unproved(self, result: Result) -> Result:
        """Return the result of a document, with an outcome that says so where a proof was asked for."""
        if not self._steps.prove or not (result.diagnostics or (result.fixed is not None and result.fixed.changed)):
            return result
        from hybridlint.core.proof_outcome import ProofOutcome as Proof
        from hybridlint.core.proof_outcome import ProofStatus

        return replace(result, proof=(Proof(result.path, result.path.name, 1, ProofStatus.NOT_RUN, NOT_RUN),))

    def _proved(self, results: Sequence[Result]) -> list[Result]:
        """Prove the applied or suggested fixes, if that is asked for."""
        if not self._steps.prove:
            return list(results)
        from hybridlint.proving.fixes import prove, prove_offered

        configs = self._configs(results)
        self._check_inputs(configs, [result.path for result in results])
        unsafe, refix = self._steps.unsafe, list(map(self._refix, results))
        with self._progress() as show:
            if not self._steps.fix:
                return prove_offered(results, configs, refix, unsafe=unsafe, progress=show)
            shown = self._steps.written
            return prove(results, configs, refix, unsafe=unsafe, progress=show, written=shown)

    def _settled(self, results: Sequence[Result]) -> list[Result]:
        """Confirm or refute possible findings by proofs: cached proofs, and new proofs if requested."""
        if not any(diagnostic.severity == "possible" for result in results for diagnostic in result.diagnostics):
            return list(results)
        from hybridlint.proving.verify_unfixed import settle

        configs = self._configs(results)
        caches, refix = self._outcome_caches(configs), list(map(self._refix, results))
        with self._progress() as show:
            found = settle(results, configs, caches, refix, run_missing=self._steps.prove, progress=show)
        self._save(caches)
        return found

    def _standing(self, files: Sequence[Path], blocks: Mapping[Path, Collection[str]]) -> PipelineResult:
        """Prove the blocks of files as they are, without fixes: those that `blocks` names, or all of a file.

        Then write directives, and add the findings, if the steps ask for them.
        """
        from hybridlint.proving.resolve_possible import resolve_possible
        from hybridlint.proving.stopping import is_stopped
        from hybridlint.proving.verify_unfixed import prove_files

        configs = [self._session.config(file.parent) for file in files]
        caches = self._outcome_caches(configs)
        with self._progress() as show:
            proofs = prove_files(files, configs, caches, self._refix, show, blocks=blocks)
        self._save(caches)
        results = [
            Result(path, failure=proved) if isinstance(proved, str) else Result(path, proof=tuple(proved))
            for path, proved in zip(files, proofs, strict=True)
        ]
        added: tuple[Added, ...] = ()
        if self._steps.add_directives and not is_stopped():
            added = self._added(results)
            results = [replace(result, proof=file.outcomes) for result, file in zip(results, added, strict=True)]
        if self._steps.find:
            found = self._session.check(files)
            results = [
                replace(resolve_possible(now, result.proof), proof=result.proof)
                for now, result in zip(found, results, strict=True)
            ]
        return PipelineResult(tuple(results), added)

    def _with_directives(self, results: Sequence[Result]) -> PipelineResult:
        """Write directives above the proved blocks that say how they were built and called."""
        added = self._added(results)
        shown = [self._as_added(result, file) for result, file in zip(results, added, strict=True)]
        return PipelineResult(tuple(shown), added)

    def _added(self, results: Sequence[Result]) -> tuple[Added, ...]:
        from hybridlint.proving.directive_files import add_directives

        with self._progress() as show:
            return tuple(
                add_directives([(result.path, result.proof) for result in results], self._configs(results), show)
            )

    def _as_added(self, result: Result, file: Added) -> Result:
        """Return a result with its positions moved to the file that includes the directives."""
        if not file.written:
            return result
        [found] = self._session.check([result.path])
        return replace(result, text=found.text, diagnostics=found.diagnostics, proof=file.outcomes)

    def _refix(self, result: Result) -> Refix:
        """Return a function that fixes the file of a result again, with fewer fixes."""
        from hybridlint.text.source import encode_text

        fixed = result.fixed
        data = encode_text(result.text) if fixed is None else fixed.before.encode(fixed.encoding)
        identity = None if fixed is None else fixed.identity
        kept = None if self._known is None else self._known.setdefault(result.path, RefixState())
        job = Job(
            result.path,
            data,
            self._config(result),
            unsafe=self._steps.unsafe,
            keep_eager=self._steps.keep_eager,
            identity=identity,
            kept=kept,
        )
        return refixing(job)

    def _check_settings_of_proofs(self, files: Sequence[Path]) -> None:
        """Raise UsageError for inputs of blocks in the settings that no proof of these files could use."""
        configs = {c.root: c for c in map(self._session.config, dict.fromkeys(file.parent for file in files))}
        named = [config for config in configs.values() if config.verify.get("inputs")]
        if not named:
            return
        from hybridlint.proving.configured_blocks import proof_settings

        for config in named:
            proof_settings(config)
        self._check_inputs(named, files)

    def _check_inputs(self, configs: Sequence[Config], files: Sequence[Path]) -> None:
        from hybridlint.proving.configured_blocks import check_inputs

        for config in {config.root: config for config in configs}.values():
            check_inputs(config, files)

    def _outcome_caches(self, configs: Sequence[Config]) -> dict[Path, OutcomeCache]:
        """Return the cache of proof outcomes of each project; empty caches if no cache is used."""
        from hybridlint.proving.outcome_cache import OutcomeCache

        kept, folder = self._session.use_cache, self._session.cache_folder
        return {c.root: OutcomeCache.open(folder(c)) if kept else OutcomeCache(folder(c), {}) for c in configs}

    def _save(self, caches: dict[Path, OutcomeCache]) -> None:
        for known in caches.values() if self._session.use_cache else ():
            known.save()

    def _configs(self, results: Sequence[Result]) -> list[Config]:
        return [self._config(result) for result in results]

    def _config(self, result: Result) -> Config:
        return self._session.config(result.path.parent)
