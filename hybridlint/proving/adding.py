"""Directives of a proof, written into the files: what was found out once need not be looked for again."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from hybridlint.files.original import ChangedError, read
from hybridlint.files.original import replace as replace_file
from hybridlint.proving.fixes import proof_settings
from hybridlint.proving.outcome import Outcome, Status
from hybridlint.proving.prover import Progress, prove_file
from hybridlint.proving.written import Written, tried
from hybridlint.record.store import keep_record
from hybridlint.text.rows import RowMap, rows_between
from hybridlint.text.source import SourceError, SourceFile

if TYPE_CHECKING:
    from hybridlint.settings.config import Config

#: How much more time a block has for its search where what it finds is kept.
LONGER = 3


@dataclass(frozen=True, slots=True)
class Added:
    """What was written into a file, or why nothing was; rows of the outcomes are those of the file as it is now."""

    path: Path
    outcomes: tuple[Outcome, ...]
    written: tuple[Written, ...] = ()
    failure: str | None = None


def searching_longer(config: Config) -> Config:
    """Return the settings with more time for a block, unless somebody said how much it has."""
    from hybridlint.proving.prover import TIMEOUT

    return config if "timeout" in config.verify else config.verified_with(timeout=LONGER * TIMEOUT)


def add_directives(path: Path, config: Config, outcomes: Sequence[Outcome], progress: Progress | None = None) -> Added:
    """Write above each proved block how it was built and called, where it runs with what is written.

    Blocks that have a directive, or for which the settings speak, get none. All other bytes of the file stay.
    """
    there = Added(path, tuple(outcomes))
    wanted = _wanted(outcomes)
    if not wanted:
        return there
    try:
        data, identity = read(path)
        source = SourceFile.decode(path, data)
        if not source.faithful:
            return replace(there, failure=f"its encoding, {source.encoding}, does not give back the bytes of the file")
        settings = proof_settings(config)

        def runs(text: str) -> set[str]:
            found = prove_file(path, text, None, settings, blocks=wanted.keys(), progress=progress)
            return {outcome.block for outcome in found if outcome.status is not Status.NOT_RUN}

        text, written = tried(source, wanted, runs)
        if not written:
            return there
        replace_file(path, identity, data, text.encode(source.encoding))
    except (ChangedError, SourceError) as error:
        return replace(there, failure=str(error))
    except OSError as error:
        return replace(there, failure=f"cannot write the file: {error.strerror}")
    keep_record(path, config, source.text, text)
    rows = rows_between(source.text, text)
    return Added(path, tuple(_moved(outcome, rows) for outcome in outcomes), tuple(written))


def _moved(outcome: Outcome, rows: RowMap) -> Outcome:
    fixed = outcome.parting is not None and outcome.parting.fixed
    return outcome.located(rows, outcome.lines_of, same=lambda _: not fixed)


def _wanted(outcomes: Collection[Outcome]) -> dict[str, str]:
    # A block that is refuted as it stands may be proved with a fix, of which this file knows nothing.
    refuted = {outcome.block for outcome in outcomes if outcome.status is Status.REFUTED}
    proved = [o for o in outcomes if o.status is Status.PROVED and o.block not in refuted]
    return {outcome.block: outcome.directive for outcome in proved if outcome.directive is not None}
