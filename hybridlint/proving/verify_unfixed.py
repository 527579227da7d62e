"""Proofs of the blocks of a file as it is (eager against compiled), with cached outcomes where they are valid."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.proof_outcome import AS_IT_IS, BEFORE, ProofOutcome, ProofStatus
from hybridlint.core.result import Result
from hybridlint.proving.blocks import count_blocks
from hybridlint.proving.configured_blocks import proof_settings
from hybridlint.proving.fixes import locate_outcome, proved_fixes
from hybridlint.proving.progress import Progress
from hybridlint.proving.prover import absent, prove_file
from hybridlint.proving.read_set import ReadSet
from hybridlint.proving.resolve_possible import doubtful, resolve_possible
from hybridlint.proving.stopping import STOPPED, StoppedProofError, leave_unproved, stoppable
from hybridlint.proving.threads import in_threads
from hybridlint.runtime.facts.records import replace
from hybridlint.text.screening import may_be_hybrid
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.core.result import Refix
    from hybridlint.project.settings.config import Config
    from hybridlint.proving.outcome_cache import OutcomeCache


def prove_anew(
    source: SourceFile,
    config: Config,
    cache: OutcomeCache,
    refix: Refix,
    progress: Progress | None = None,
    *,
    blocks: Collection[str] | None = None,
) -> list[ProofOutcome]:
    """Return the outcomes of a file as it is; blocks whose cached outcome ran out of time are run again.

    `blocks` are the names of those that are asked for, None for all. Refuted blocks are also proved with the fixes
    that `refix` applies.
    """
    known = cache.get(source.path, source.text, config)
    if known is None:
        read = ReadSet()
        outcomes = _as_it_stands(source, config, refix, progress, blocks=blocks, read=read)
        outcomes += _absent(source, blocks or (), outcomes)
        # An entry of the cache speaks for all blocks of a file.
        if blocks is None and not STOPPED.is_set():
            cache.put(source.path, source.text, config, outcomes, read)
        return outcomes
    asked = [outcome for outcome in known if _is_asked(outcome, source, blocks)]
    asked += _absent(source, blocks or (), known)
    late = {outcome.block for outcome in asked if outcome.late}
    if progress is not None:
        progress.expect(len(late) - len(asked))
    if not late:
        return asked
    read = ReadSet()
    found = _as_it_stands(source, config, refix, progress, blocks=late, read=read)
    if not STOPPED.is_set():
        cache.put(source.path, source.text, config, _with(known, found, late), read)
    return _with(asked, found, late)


def _is_asked(outcome: ProofOutcome, source: SourceFile, blocks: Collection[str] | None) -> bool:
    """Whether an outcome is for one of `blocks`, or for a whole file that cannot be imported."""
    return blocks is None or outcome.block in {*blocks, source.path.name}


def _absent(source: SourceFile, blocks: Collection[str], outcomes: Sequence[ProofOutcome]) -> list[ProofOutcome]:
    """Return outcomes for those of `blocks` that have none, as the class turned out to be no HybridBlock."""
    found = {outcome.block for outcome in outcomes}
    if STOPPED.is_set() or source.path.name in found:
        return []
    return [absent(source, name) for name in sorted(blocks) if name not in found]


def _with(known: Sequence[ProofOutcome], found: Sequence[ProofOutcome], late: Collection[str]) -> list[ProofOutcome]:
    """Return known outcomes, with those that were found for the blocks `late` in place of the earlier ones."""
    kept = [outcome for outcome in known if outcome.block not in late]
    return sorted([*kept, *found], key=lambda outcome: outcome.row)


def _as_it_stands(
    source: SourceFile,
    config: Config,
    refix: Refix,
    progress: Progress | None,
    *,
    blocks: Collection[str] | None,
    read: ReadSet,
) -> list[ProofOutcome]:
    settings = proof_settings(config)
    stands = prove_file(source.path, source.text, None, settings, blocks=blocks, progress=progress, read=read)
    refuted = {outcome.block for outcome in stands if outcome.status is ProofStatus.REFUTED}
    if not refuted or STOPPED.is_set():
        return stands
    try:
        offered = proved_fixes(refix({}), config, refix, unsafe=False, progress=progress, written=False).proof
    except StoppedProofError:
        return stands
    mended = [replace(o, reason=f"with `--fix`: {o.reason}", lines_of=AS_IT_IS) for o in offered if o.block in refuted]
    return sorted([*stands, *mended], key=lambda outcome: outcome.row)


def settle(
    results: Sequence[Result],
    configs: Sequence[Config],
    caches: Mapping[Path, OutcomeCache],
    refix: Sequence[Refix],
    *,
    run_missing: bool,
    progress: Progress | None = None,
) -> list[Result]:
    """Return the results with their possible findings decided by the outcomes of their blocks.

    `caches` has the cached outcomes by project root. If `run_missing`, blocks without a cached outcome are run.
    """

    def one(result: Result, config: Config, again: Refix) -> Result:
        if not doubtful(result):
            return result
        store, source = caches[config.root], SourceFile(result.path, result.text)
        if run_missing and result.fixed is None:
            return resolve_possible(result, prove_anew(source, config, store, again, progress))
        known = _after_fixing(result) or store.get(result.path, result.text, config) or ()
        if not run_missing:
            return resolve_possible(result, known)
        missing = doubtful(result) - {outcome.block for outcome in known}
        return resolve_possible(result, [*known, *_of_blocks(source, config, missing, progress)])

    with stoppable():
        return in_threads(one, results, configs, refix)


def _after_fixing(result: Result) -> list[ProofOutcome]:
    """Return the outcomes in a result, with rows of the fixed text if its file was fixed."""
    if result.fixed is None:
        return list(result.proof)
    before, after = result.fixed.before, result.fixed.after
    return [locate_outcome(o, before, after, written=True) if o.lines_of == BEFORE else o for o in result.proof]


def _of_blocks(
    source: SourceFile, config: Config, blocks: Collection[str], progress: Progress | None
) -> list[ProofOutcome]:
    """Return the outcomes of some blocks of a text without fixes. The text need not be saved yet."""
    if not blocks:
        return []
    return prove_file(source.path, source.text, None, proof_settings(config), blocks=blocks, progress=progress)


def prove_files(
    files: Sequence[Path],
    configs: Sequence[Config],
    caches: Mapping[Path, OutcomeCache],
    refix: Callable[[Result], Refix],
    progress: Progress | None = None,
    *,
    blocks: Mapping[Path, Collection[str]],
) -> list[list[ProofOutcome] | str]:
    """Return, for each file, the outcomes of its blocks as they are. SIGINT stops the proofs early.

    For a file that cannot be read it is the reason. `blocks` has the names of the blocks that are asked for by absolute
    path; of other files all are. `caches` has the cached outcomes by project root.
    """

    def asked(path: Path) -> Collection[str] | None:
        return blocks.get(Path(os.path.abspath(path)))

    def one(path: Path, config: Config) -> list[ProofOutcome] | str:
        try:
            source = SourceFile.read(path)
        except FileNotFoundError:
            return "no file or folder has this path"
        except OSError as error:
            return f"cannot read the file: {error.strerror}"
        except SourceError as error:
            return [ProofOutcome(path, path.name, 1, ProofStatus.NOT_RUN, f"the file cannot be read: {error.reason}")]
        if not may_be_hybrid(source.text):
            return []
        again = refix(Result(path, source.text))
        outcomes = (
            []
            if STOPPED.is_set()
            else prove_anew(source, config, caches[config.root], again, progress, blocks=asked(path))
        )
        if STOPPED.is_set() and len(outcomes) < _number(path, asked(path)):
            leave_unproved(path)
        return outcomes

    with stoppable():
        if progress is not None and progress.shown:
            progress.expect(sum(_number(path, asked(path)) for path in files))
        return in_threads(one, files, configs)


def _number(path: Path, blocks: Collection[str] | None) -> int:
    """Return how many blocks of a file will be proved; `blocks` are the names of those that are asked for."""
    if blocks is not None:
        return len(blocks)
    try:
        source = SourceFile.read(path)
    except (OSError, SourceError):
        return 0
    return count_blocks(source) if may_be_hybrid(source.text) else 0
