"""Writing the directives that proofs have found into source files, so that later proofs need not search again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.project.files.original import ChangedError, read
from hybridlint.project.files.original import replace as replace_file
from hybridlint.proving.configured_blocks import proof_settings
from hybridlint.proving.directive_insertion import InsertedDirective, keep_working_directives
from hybridlint.proving.progress import Progress
from hybridlint.proving.prover import prove_file
from hybridlint.proving.recording.store import keep_record
from hybridlint.proving.stopping import stoppable
from hybridlint.proving.threads import in_threads
from hybridlint.runtime.facts.records import record, replace
from hybridlint.system.file_identity import FileIdentity
from hybridlint.text.rows import RowMap, rows_between
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.project.settings.config import Config

#: Factor on a block's default time limit for a search whose result is written as a directive.
LONGER = 3


@record(frozen=True, slots=True)
class Added:
    """The directives written into a file, or the reason why none were.

    Rows of the outcomes are rows of the file after writing.
    """

    path: Path
    outcomes: tuple[ProofOutcome, ...]
    written: tuple[InsertedDirective, ...] = ()
    failure: str | None = None


def searching_longer(config: Config) -> Config:
    """Return the configuration with a longer time limit per block, unless the user has set a limit."""
    from hybridlint.proving.settings import TIMEOUT

    return config if "timeout" in config.verify else config.verified_with(timeout=LONGER * TIMEOUT)


def add_directives(
    files: Sequence[tuple[Path, Sequence[ProofOutcome]]], configs: Sequence[Config], progress: Progress | None = None
) -> list[Added]:
    """Write a directive above each block that does not have one and that runs again with the found directive.

    `files` has the outcomes of each file, `configs` its configuration. Blocks with an entry in the settings get no
    directive, nor do refuted ones. No other byte of a file changes.
    """

    def one(file: tuple[Path, Sequence[ProofOutcome]], config: Config) -> _Tried | Added:
        return _tried(*file, config, progress)

    with stoppable():
        plans = in_threads(one, files, configs)
    # Several files may change the same project's record, so they are written one after another.
    return [
        plan if isinstance(plan, Added) else _write(plan, config) for plan, config in zip(plans, configs, strict=True)
    ]


@record(frozen=True, slots=True)
class _Tried:
    """A file as it was read, and its `text` with the directives with which the blocks run."""

    there: Added
    source: SourceFile
    identity: FileIdentity
    text: str
    written: tuple[InsertedDirective, ...]


def _tried(path: Path, outcomes: Sequence[ProofOutcome], config: Config, progress: Progress | None) -> _Tried | Added:
    """Return a file with the directives that let its blocks run; an `Added` if there are none, or on failure."""
    there = Added(path, tuple(outcomes))
    proposed = _proposed(outcomes)
    if not proposed:
        return there
    try:
        data, identity = read(path)
        source = SourceFile.decode(path, data)
        if not source.faithful:
            return replace(there, failure=f"its encoding, {source.encoding}, does not give back the bytes of the file")
        settings = proof_settings(config)

        def runs(text: str) -> set[str]:
            found = prove_file(path, text, None, settings, blocks=proposed.keys(), progress=progress)
            return {outcome.block for outcome in found if outcome.status is not ProofStatus.NOT_RUN}

        text, written = keep_working_directives(source, proposed, runs)
    except (ChangedError, SourceError) as error:
        return replace(there, failure=str(error))
    except OSError as error:
        return replace(there, failure=f"cannot read the file: {error.strerror}")
    return _Tried(there, source, identity, text, tuple(written)) if written else there


def _write(plan: _Tried, config: Config) -> Added:
    source, there = plan.source, plan.there
    before, after = (text.encode(source.encoding) for text in (source.text, plan.text))
    try:
        replace_file(there.path, plan.identity, before, after)
    except ChangedError as error:
        return replace(there, failure=str(error))
    except OSError as error:
        return replace(there, failure=f"cannot write the file: {error.strerror}")
    keep_record(there.path, config, source.text, plan.text)
    rows = rows_between(source.text, plan.text)
    return Added(there.path, tuple(_moved(outcome, rows) for outcome in there.outcomes), plan.written)


def _moved(outcome: ProofOutcome, rows: RowMap) -> ProofOutcome:
    fixed = outcome.parting is not None and outcome.parting.fixed
    return outcome.located(rows, outcome.lines_of, same=lambda _: not fixed)


def _proposed(outcomes: Collection[ProofOutcome]) -> dict[str, str]:
    # A block that is refuted as it is may be proved with a fix, but the file on disk does not contain that fix.
    # One that was not run has a directive if that was tried and makes it run.
    refuted = {outcome.block for outcome in outcomes if outcome.status is ProofStatus.REFUTED}
    return {o.block: o.directive for o in outcomes if o.block not in refuted and o.directive is not None}
