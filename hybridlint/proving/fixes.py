"""Proof of fixes: changed blocks run before and after the fixes; refuted fixes are taken back singly."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from hybridlint.core.applied_fixes import Applied, FixId
from hybridlint.core.proof_outcome import AFTER, BEFORE, BY_HAND, BY_HAND_OR_UNSAFE, ProofOutcome, ProofStatus
from hybridlint.core.result import Fixed, Refix, Result
from hybridlint.fixing.edit_checks import tidy_file
from hybridlint.proving.affected_classes import affected_classes
from hybridlint.proving.bisect_fixes import culprit
from hybridlint.proving.blocks import count_blocks, hybrid_classes
from hybridlint.proving.configured_blocks import proof_settings
from hybridlint.proving.fix_subset import without
from hybridlint.proving.progress import Progress
from hybridlint.proving.prover import prove_file
from hybridlint.proving.resolve_possible import fixable_unsafely
from hybridlint.proving.stopping import StoppedProofError, check_stopped, stoppable
from hybridlint.proving.threads import in_threads
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.rows import rows_between, stays
from hybridlint.text.source import SourceFile

if TYPE_CHECKING:
    from pathlib import Path

    from hybridlint.project.settings.config import Config

#: Why nothing was done to a file whose proof was ended early.
UNPROVED = "the run was ended before its fixes were proved: the file stays as it is"


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
    if the files are `written`, else in the original text. SIGINT and SIGTERM stop the proofs: files without an outcome
    then stay as they are, and their results say so.
    """
    _announce(results, progress)

    def one(result: Result, config: Config, again: Refix) -> Result:
        if result.fixed is None or not result.fixed.changed:
            return result
        try:
            check_stopped()
            proved = proved_fixes(result, config, again, unsafe=unsafe, progress=progress, written=written)
        except StoppedProofError:
            return Result(result.path, failure=UNPROVED)
        for outcome in proved.proof:
            (progress or Progress()).judged(result.path, outcome.block, outcome.status.value)
        return proved

    with stoppable():
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
        try:
            check_stopped()
            fixed = again({})
            _announce([fixed], progress)
            proved = proved_fixes(fixed, config, again, unsafe=unsafe, progress=progress, written=False)
        except StoppedProofError:
            return result
        return replace(result, proof=proved.proof)

    with stoppable():
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
    touched = _touched(result.path, fixed.before, fixed.after)
    return count_blocks(SourceFile(result.path, fixed.after)) if touched is None else len(touched)


class _Fixing:
    """The proof of one file's fixes: wrong fixes are taken back until no block is refuted because of a fix."""

    def __init__(
        self, first: Result, fixed: Fixed, config: Config, refix: Refix, *, unsafe: bool, progress: Progress | None
    ) -> None:
        self.result = first
        self.before = fixed.before
        self.fixed = fixed
        self.refix = refix
        self.unsafe = unsafe
        self.settings = proof_settings(config)
        self.progress = progress
        #: The text that was proved last, and the outcome of each block with the text that it is about.
        self.text = fixed.after
        self.outcomes: dict[str, tuple[ProofOutcome, str]] = {}
        #: The fixes that were taken back, each with the reason, and what refuted them.
        self.refused: dict[FixId, str] = {}
        self.refuted: list[_Refuted] = []

    def settled(self, *, written: bool) -> Result:
        """Return the result with the remaining fixes and the outcomes of all blocks.

        Rows of the outcomes refer to the file that the reader will have: the fixed text if it is `written`.
        """
        self._prove(_touched(self.result.path, self.before, self.text))
        while self._take_back():
            # Analyzed once, for all fixes that were taken back: other fixes may apply in their place.
            self.result = self.refix(self.refused)
            if self.result.fixed is None or not self.result.fixed.changed:
                self.outcomes.clear()
                break
            self.fixed, proved = self.result.fixed, self.text
            self.text = self.fixed.after
            if self.text != proved:
                self._prove(_touched(self.result.path, proved, self.text))
        return replace(self.result, proof=tuple(self._located(written=written)))

    def _take_back(self) -> bool:
        """Take back one fix after another until no block is refuted because of a fix. Whether any was taken back.

        The texts with fewer fixes are made from the recorded edits, and are those that fixing the file again gives.
        """
        taken: set[FixId] = set()
        original = SourceFile(self.result.path, self.before, self.fixed.encoding)
        while faulty := next((o for o, _ in self.outcomes.values() if _at_fault(o)), None):
            wrong = culprit(faulty, self.fixed, partial(self._status, faulty.block), taken)
            if wrong is None:
                self.outcomes.clear()
                break
            self.refuted.append(_Refuted(faulty, wrong, self.outcomes[faulty.block][1]))
            self.refused[wrong.id] = _reason(faulty)
            taken.add(wrong.id)
            fewer = without(self.before, self.fixed.passes, taken)
            self.text = tidy_file(original, SourceFile(original.path, fewer, original.encoding)).text
            if self.text == self.before:
                self.outcomes.clear()
                break
            # A fix outside the class can have broken other blocks too.
            self._prove({faulty.block} if wrong.block == faulty.block else set(self.outcomes))
        return bool(taken)

    def _status(self, block: str, text: str) -> ProofStatus | None:
        """Return the status of a block in a text with fewer fixes, None if the text has no such block.

        A block that is refuted for what is left to fix says nothing of the fixes.
        """
        found = prove_file(self.result.path, self.before, text, self.settings, blocks={block}, progress=self.progress)
        check_stopped()
        outcome = next((outcome for outcome in found if outcome.block == block), None)
        if outcome is None:
            return None
        return ProofStatus.NOT_RUN if outcome.status is ProofStatus.REFUTED and not outcome.fault else outcome.status

    def _prove(self, blocks: Collection[str] | None) -> None:
        """Prove blocks by name in the current text; `blocks` is None for all."""
        found = prove_file(
            self.result.path, self.before, self.text, self.settings, blocks=blocks, progress=self.progress
        )
        check_stopped()
        unsafely = set() if self.unsafe else fixable_unsafely(self.result)
        self.outcomes |= {o.block: (replace(o, add=_add(o, unsafely)), self.text) for o in found}

    def _located(self, *, written: bool) -> list[ProofOutcome]:
        """Return all outcomes in order, with their rows in the file that the reader will have."""
        after = self.before if self.result.fixed is None else self.result.fixed.after
        shown = after if written else self.before
        placed = [locate_outcome(outcome, text, shown, written=written) for outcome, text in self.outcomes.values()]
        for each in self.refuted:
            taken = f"{each.fix.id.code} in line {rows_between(self.before, shown)(each.fix.row)}"
            placed.append(replace(locate_outcome(each.outcome, each.text, shown, written=written), taken_back=taken))
        return sorted(placed, key=lambda outcome: outcome.row)


@record(frozen=True, slots=True)
class _Refuted:
    """A fix that was taken back: the outcome that refuted it, and the text that the outcome is about."""

    outcome: ProofOutcome
    fix: Applied
    text: str


def _add(outcome: ProofOutcome, unsafely: Collection[str]) -> str | None:
    """Return the advice for an outcome; it mentions unsafe fixes only if the block has some."""
    return BY_HAND_OR_UNSAFE if outcome.add == BY_HAND and outcome.block in unsafely else outcome.add


def _touched(path: Path, text_before: str, text_after: str) -> set[str] | None:
    """Return the names of the blocks that a change of a file can affect; None for all blocks."""
    before, after = (SourceFile(path, text) for text in (text_before, text_after))
    tops = affected_classes(before, after)
    if tops is None:
        return None
    return {name for name in hybrid_classes(after) if name.partition(".")[0] in tops} | tops


def locate_outcome(outcome: ProofOutcome, text: str, shown: str, *, written: bool) -> ProofOutcome:
    """Return an outcome for `text` with its rows mapped to rows of the text `shown`."""
    lines_of = AFTER if written else BEFORE
    return outcome.located(rows_between(text, shown), lines_of, same=lambda row: stays(text, shown, row))


def _at_fault(outcome: ProofOutcome) -> bool:
    return outcome.status is ProofStatus.REFUTED and outcome.fault


def _reason(outcome: ProofOutcome) -> str:
    return f"taken back, because running {outcome.block} refutes it: {outcome.reason}"
