"""Proof of fixes: the changed blocks run before and after the fixes, and refuted fixes are taken back one by one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from hybridlint.fixing.applied import Applied, FixId
from hybridlint.outcome import AFTER, BEFORE, BY_HAND, BY_HAND_OR_UNSAFE, Outcome, Status
from hybridlint.proving.affected import affected_classes
from hybridlint.proving.configured import proof_settings
from hybridlint.proving.culprit import culprit
from hybridlint.proving.prover import Progress, count_blocks, hybrid_classes, prove_file
from hybridlint.proving.settled import fixable_unsafely
from hybridlint.proving.threads import in_threads
from hybridlint.result import Fixed, Refix, Result
from hybridlint.text.rows import rows_between, stays
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from hybridlint.settings.config import Config


def prove(
    results: Sequence[Result],
    configs: Sequence[Config],
    refix: Sequence[Refix],
    *,
    unsafe: bool,
    progress: Progress | None = None,
    written: bool = True,
) -> list[Result]:
    """Prove the fixes of each result with its configuration; results without fixes are unchanged.

    `refix` has, for each result, a function that fixes its file again without some fixes. A refuted fix is taken back:
    the file is fixed again without it, and the result is what that gives. Rows in the outcomes count in the fixed text
    if the files are `written`, else in the original text.
    """
    _announce(results, progress)

    def one(result: Result, config: Config, again: Refix) -> Result:
        return proved_fixes(result, config, again, unsafe=unsafe, progress=progress, written=written)

    return in_threads(one, results, configs, refix)


def prove_offered(
    results: Sequence[Result],
    configs: Sequence[Config],
    refix: Sequence[Refix],
    *,
    unsafe: bool,
    progress: Progress | None = None,
) -> list[Result]:
    """Prove the fixes that `--fix` would apply, without applying them: only `proof` of each result is set."""

    def one(result: Result, config: Config, again: Refix) -> Result:
        if not any(diagnostic.fixable(unsafe=unsafe) for diagnostic in result.diagnostics):
            return result
        fixed = again({})
        _announce([fixed], progress)
        proved = proved_fixes(fixed, config, again, unsafe=unsafe, progress=progress, written=False)
        return replace(result, proof=proved.proof)

    return in_threads(one, results, configs, refix)


def proved_fixes(
    result: Result, config: Config, refix: Refix, *, unsafe: bool, progress: Progress | None, written: bool
) -> Result:
    """Return the result of one file with the fixes that no proof refutes, and the outcomes of all its blocks.

    Rows of the outcomes refer to the file that the reader will have: the fixed text if it is `written`.
    """
    if result.fixed is None or not result.fixed.changed:
        return result
    return _Fixing(result, result.fixed, config, refix, unsafe=unsafe, progress=progress).settled(written=written)


def _announce(results: Iterable[Result], progress: Progress | None) -> None:
    """Add the number of blocks to be proved to the progress display, if it is shown."""
    if progress is not None and progress.shown:
        progress.expect(sum(_number(r, r.fixed) for r in results if r.fixed is not None and r.fixed.changed))


def _number(result: Result, fixed: Fixed) -> int:
    touched = _touched(result, fixed)
    return count_blocks(SourceFile(result.path, fixed.after)) if touched is None else len(touched)


class _Fixing:
    """The proof of one file's fixes: wrong fixes are taken back until no block is refuted because of a fix."""

    def __init__(
        self, first: Result, fixed: Fixed, config: Config, refix: Refix, *, unsafe: bool, progress: Progress | None
    ) -> None:
        self.first = first
        self.before = fixed.before
        self.fixed = fixed
        self.refix = refix
        self.unsafe = unsafe
        self.settings = proof_settings(config)
        self.progress = progress

    def settled(self, *, written: bool) -> Result:
        """Return the result with the remaining fixes and the outcomes of all blocks.

        Rows of the outcomes refer to the file that the reader will have: the fixed text if it is `written`.
        """
        result, fixed = self.first, self.fixed
        refused: dict[FixId, str] = {}
        refuted: list[tuple[Outcome, Applied, str]] = []
        outcomes = self._prove(result, fixed, _touched(result, fixed))
        texts = dict.fromkeys(outcomes, fixed.after)
        while faulty := [outcome for outcome in outcomes.values() if _at_fault(outcome)]:
            wrong = culprit(faulty[0], fixed, partial(self._status, faulty[0].block))
            refuted.append((faulty[0], wrong, texts[faulty[0].block]))
            refused[wrong.id] = _reason(faulty[0])
            result = self.refix(refused)
            if result.fixed is None or not result.fixed.changed:
                outcomes = {}
                break
            fixed = result.fixed
            # A fix outside the class can have broken other blocks too.
            affected = {faulty[0].block} if wrong.block == faulty[0].block else set(outcomes)
            again = self._prove(result, fixed, affected)
            outcomes |= again
            texts |= dict.fromkeys(again, fixed.after)
        after = self.before if result.fixed is None else result.fixed.after
        shown = after if written else self.before
        placed = [located(outcome, texts[name], shown, written=written) for name, outcome in outcomes.items()]
        for outcome, fix, text in refuted:
            row = rows_between(self.before, shown)(fix.row)
            taken = f"{fix.code} in line {row}"
            placed.append(replace(located(outcome, text, shown, written=written), taken_back=taken))
        return replace(result, proof=tuple(sorted(placed, key=lambda outcome: outcome.row)))

    def _status(self, block: str, text: str) -> Status | None:
        """Return the status of a block in a text with fewer fixes, None if the text has no such block."""
        found = prove_file(self.first.path, self.before, text, self.settings, blocks={block}, progress=self.progress)
        return next((outcome.status for outcome in found if outcome.block == block), None)

    def _prove(self, result: Result, fixed: Fixed, blocks: Collection[str] | None) -> dict[str, Outcome]:
        """Return the outcomes of blocks by name; `blocks` is None for all."""
        found = prove_file(result.path, self.before, fixed.after, self.settings, blocks=blocks, progress=self.progress)
        unsafely = set() if self.unsafe else fixable_unsafely(result)
        return {o.block: replace(o, add=_add(o, unsafely)) for o in found}


def _add(outcome: Outcome, unsafely: Collection[str]) -> str | None:
    """Return the advice for an outcome; it mentions unsafe fixes only if the block has some."""
    return BY_HAND_OR_UNSAFE if outcome.add == BY_HAND and outcome.block in unsafely else outcome.add


def _touched(result: Result, fixed: Fixed) -> set[str] | None:
    """Return the names of the blocks that the fixes can affect, None for all blocks of the file."""
    before, after = (SourceFile(result.path, text) for text in (fixed.before, fixed.after))
    tops = affected_classes(before, after)
    if tops is None:
        return None
    return {name for name in hybrid_classes(after) if name.partition(".")[0] in tops} | tops


def located(outcome: Outcome, text: str, shown: str, *, written: bool) -> Outcome:
    """Return an outcome for `text` with its rows mapped to rows of the text `shown`."""
    lines_of = AFTER if written else BEFORE
    return outcome.located(rows_between(text, shown), lines_of, same=lambda row: stays(text, shown, row))


def _at_fault(outcome: Outcome) -> bool:
    return outcome.status is Status.REFUTED and outcome.fault


def _reason(outcome: Outcome) -> str:
    return f"taken back, because running {outcome.block} refutes it: {outcome.reason}"
