"""The steps of a check in order: analyze and fix in memory, prove, settle possible findings, write."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.checking.checker import Result
from hybridlint.checking.session import Session

if TYPE_CHECKING:
    from hybridlint.proving.adding import Added
    from hybridlint.settings.config import Config


@dataclass(frozen=True, slots=True)
class Steps:
    """The optional steps of a check.

    `written` says whether the report is about the files after the fixes are written, or as they are now.
    """

    fix: bool = False
    unsafe: bool = False
    prove: bool = False
    written: bool = True
    add_directives: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The results in the order of the files. `added` holds the directives that were written, if any were asked for."""

    results: tuple[Result, ...]
    added: tuple[Added, ...] = ()


class Pipeline:
    """Takes files, or text from standard input, through the same steps in the same order."""

    def __init__(self, session: Session, steps: Steps) -> None:
        self._session = session
        self._steps = steps

    def of_files(self, files: Sequence[Path]) -> Outcome:
        """Take files through all steps. Raises UsageError for settings with which no proof is possible."""
        results = self._judged(self._session.check(files))
        if self._steps.fix and self._steps.written:
            results = [self._write(result) for result in results]
        return self._with_directives(results) if self._steps.add_directives else Outcome(tuple(results))

    def of_text(self, path: Path, data: bytes) -> Outcome:
        """Take bytes, reported as the file `path`, through all steps except writing to disk."""
        return Outcome(tuple(self._judged([self._session.check_text(path, data)])))

    def as_it_is(self) -> Pipeline:
        """Return a pipeline that only analyzes, for reports on files before any fix."""
        return Pipeline(self._session.without_fixes(), Steps())

    def _judged(self, results: Sequence[Result]) -> list[Result]:
        return self._settled(self._proved(results))

    def _proved(self, results: Sequence[Result]) -> list[Result]:
        """Prove the applied or suggested fixes, if that is asked for."""
        if not self._steps.prove:
            return list(results)
        from hybridlint.proving.configured import check_inputs
        from hybridlint.proving.fixes import prove, prove_offered
        from hybridlint.report.proof import progress

        configs = self._configs(results)
        for config in {config.root: config for config in configs}.values():
            check_inputs(config, [result.path for result in results])
        unsafe = self._steps.unsafe
        with progress() as show:
            if not self._steps.fix:
                return prove_offered(results, configs, unsafe=unsafe, progress=show)
            return prove(results, configs, unsafe=unsafe, progress=show, written=self._steps.written)

    def _settled(self, results: Sequence[Result]) -> list[Result]:
        """Confirm or refute possible findings by proofs: stored ones, and new ones if proofs are asked for."""
        if not any(diagnostic.severity == "possible" for result in results for diagnostic in result.diagnostics):
            return list(results)
        from hybridlint.proving.fixes import settle
        from hybridlint.proving.verdicts import Verdicts
        from hybridlint.report.proof import progress

        configs = self._configs(results)
        kept = self._session.use_cache
        verdicts = {c.root: Verdicts.open(c.root) if kept else Verdicts(c.root, {}) for c in configs}
        with progress() as show:
            found = settle(results, configs, verdicts, asked=self._steps.prove, progress=show)
        for known in verdicts.values() if kept else ():
            known.save()
        return found

    def _write(self, result: Result) -> Result:
        from hybridlint.files.original import ChangedError
        from hybridlint.files.original import replace as replace_file

        fixed = result.fixed
        if fixed is None or fixed.before == fixed.after or fixed.identity is None:
            return result
        before, after = fixed.before.encode(fixed.encoding), fixed.after.encode(fixed.encoding)
        try:
            replace_file(result.path, fixed.identity, before, after)
        except ChangedError as error:
            failure = str(error)
        except OSError as error:
            failure = f"cannot write the file: {error.strerror}"
        else:
            self._keep_record(result)
            return result
        # Nothing was fixed, and the remaining findings refer to a text that was not written.
        return Result(result.path, failure=failure, proof=result.proof)

    def _keep_record(self, result: Result) -> None:
        """Update the record of real runs so that it still applies to the fixed classes."""
        from hybridlint.record.store import keep_record

        assert result.fixed is not None
        keep_record(result.path, self._config(result), result.fixed.before, result.fixed.after)

    def _with_directives(self, results: Sequence[Result]) -> Outcome:
        """Write directives above the proved blocks that say how they were built and called."""
        from hybridlint.proving.adding import add_directives

        added = [add_directives(result.path, self._config(result), result.proof) for result in results]
        shown = [self._as_added(result, file) for result, file in zip(results, added, strict=True)]
        return Outcome(tuple(shown), tuple(added))

    def _as_added(self, result: Result, file: Added) -> Result:
        """Return a result with its positions moved to the file that includes the directives."""
        if not file.written:
            return result
        [found] = self._session.without_fixes().check([result.path])
        return replace(result, text=found.text, diagnostics=found.diagnostics, proof=file.outcomes)

    def _configs(self, results: Sequence[Result]) -> list[Config]:
        return [self._config(result) for result in results]

    def _config(self, result: Result) -> Config:
        return self._session.config(result.path.parent)
