"""Fixes with proof: the changed blocks run before and after, and refuted fixes are taken back one by one."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from typing import TYPE_CHECKING

from hybridlint.checking.checker import Job, Result, check
from hybridlint.errors import UsageError
from hybridlint.proving.affected import affected_classes
from hybridlint.proving.engines import chosen
from hybridlint.proving.outcome import AFTER, AS_IT_IS, BEFORE, BY_HAND, BY_HAND_OR_UNSAFE, Outcome, Status
from hybridlint.proving.prover import Progress, Settings, count_blocks, hybrid_classes, prove_file, settings_from
from hybridlint.proving.read import Read
from hybridlint.proving.settle import doubtful, fixable_unsafely, settled
from hybridlint.proving.stopping import STOPPED
from hybridlint.record.store import load_record
from hybridlint.text.rows import rows_between, stays
from hybridlint.text.source import SourceFile, encoded

if TYPE_CHECKING:
    from pathlib import Path

    from hybridlint.fixing.identity import FixKey
    from hybridlint.fixing.loop import Applied
    from hybridlint.proving.verdicts import Verdicts
    from hybridlint.rule import Finding
    from hybridlint.settings.config import Config

#: Most fixes that are left out one at a time, if all of them together run but give wrong results when compiled.
MOST_LEFT_OUT = 12


def prove(
    results: Sequence[Result],
    configs: Sequence[Config],
    *,
    unsafe: bool,
    progress: Progress | None = None,
    written: bool = True,
) -> list[Result]:
    """Prove the fixes of each result with its configuration; results without fixes are unchanged.

    A refuted fix is taken back; the text, the findings and the dropped fixes of the result then say so. If the files
    are `written`, rows of the outcomes refer to the text after fixing, otherwise to the text before.
    """
    _announce(results, progress)
    # Child processes do the work, so threads are enough to keep all processors busy.
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda r, c: _Fixing(r, c, unsafe, progress).settled(written=written), results, configs))


def prove_offered(
    results: Sequence[Result], configs: Sequence[Config], *, unsafe: bool, progress: Progress | None = None
) -> list[Result]:
    """Prove the offered fixes without applying any: only the proof of the results is set."""
    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(lambda r, c: _with_offered(r, c, unsafe, progress), results, configs))


def _with_offered(result: Result, config: Config, unsafe: bool, progress: Progress | None) -> Result:
    if not any(diagnostic.fixable(unsafe=unsafe) for diagnostic in result.diagnostics):
        return result
    fixed = check(Job(result.path, encoded(result.text), config, fix=True, unsafe=unsafe))
    _announce([fixed], progress)
    return replace(result, proof=_Fixing(fixed, config, unsafe, progress).settled(written=False).proof)


def _announce(results: Iterable[Result], progress: Progress | None) -> None:
    """Report how many blocks will be proved, if progress is shown."""
    if progress is not None and progress.shown:
        progress.expect(sum(_number(result) for result in results if _changed(result)))


def _number(result: Result) -> int:
    touched, source = _touched(result), SourceFile(result.path, _after(result))
    return count_blocks(source) if touched is None else len(touched)


class _Fixing:
    """The fixes of one file: they are proved, and taken back until no refuted block can be blamed on a fix."""

    def __init__(self, result: Result, config: Config, unsafe: bool, progress: Progress | None) -> None:
        self.first = result
        self.config = config
        self.unsafe = unsafe
        self.progress = progress
        # Fixing again with fewer fixes produces texts that were analysed before.
        self.analyses: dict[tuple[str, bool], list[Finding]] = {}

    def settled(self, *, written: bool) -> Result:
        """Return the result with the remaining fixes and the outcomes of all blocks.

        Rows of the outcomes refer to the file that the reader will have: the fixed text if it is `written`.
        """
        result = self.first
        if not _changed(result):
            return result
        refused: dict[FixKey, str] = {}
        refuted: list[tuple[Outcome, Applied, str]] = []
        outcomes = self._prove(result)
        texts = dict.fromkeys(outcomes, _after(result))
        while faulty := [outcome for outcome in outcomes.values() if _at_fault(outcome)]:
            culprit = self._culprit(faulty[0], result, refused)
            refuted.append((faulty[0], culprit, texts[faulty[0].block]))
            refused[culprit.key] = _reason(faulty[0])
            result = self._again(refused)
            if not _changed(result):
                outcomes = {}
                break
            # A fix outside the class can have broken other blocks too.
            affected = {faulty[0].block} if culprit.block == faulty[0].block else set(outcomes)
            again = self._prove(result, affected)
            outcomes |= again
            texts |= dict.fromkeys(again, _after(result))
        assert self.first.fixed is not None
        shown = _after(result) if written else self.first.fixed.before
        told = [_located(outcome, texts[name], shown, written=written) for name, outcome in outcomes.items()]
        for outcome, fix, text in refuted:
            row = rows_between(self.first.fixed.before, shown)(fix.row)
            taken = f"{fix.code} in line {row}"
            told.append(replace(_located(outcome, text, shown, written=written), taken_back=taken))
        return replace(result, proof=tuple(sorted(told, key=lambda outcome: outcome.row)))

    def _culprit(self, refuted: Outcome, result: Result, refused: Mapping[FixKey, str]) -> Applied:
        """Return the wrong fix: the last fix of the shortest refuted prefix of all fixes."""
        fixes = _distinct(result)
        good, bad = 0, len(fixes)
        while bad - good > 1:
            middle = (good + bad) // 2
            if self._refutes(refuted.block, fixes[middle:], refused):
                bad = middle
            else:
                good = middle
        if refuted.variant is not None and not refuted.variant.startswith("eager"):
            # With fewer fixes the code may not run compiled at all, so the wrong fix need not be the last one.
            return self._only_wrong(refuted.block, fixes, refused) or fixes[bad - 1]
        return fixes[bad - 1]

    def _only_wrong(self, block: str, fixes: Sequence[Applied], refused: Mapping[FixKey, str]) -> Applied | None:
        if not 1 < len(fixes) <= MOST_LEFT_OUT:
            return None
        return next((f for f in fixes if self._status(block, [f], refused) is Status.PROVED), None)

    def _refutes(self, block: str, without: Sequence[Applied], refused: Mapping[FixKey, str]) -> bool:
        return self._status(block, without, refused) is Status.REFUTED

    def _status(self, block: str, without: Sequence[Applied], refused: Mapping[FixKey, str]) -> Status | None:
        result = self._again({**refused, **{fix.key: "" for fix in without}})
        if not _changed(result):
            return None
        outcome = self._prove(result, {block}).get(block)
        return None if outcome is None else outcome.status

    def _again(self, refused: Mapping[FixKey, str]) -> Result:
        assert self.first.fixed is not None
        first = self.first.fixed
        data = first.before.encode(first.encoding)
        return check(
            Job(
                self.first.path,
                data,
                self.config,
                fix=True,
                unsafe=self.unsafe,
                refused=refused,
                identity=first.identity,
                analyses=self.analyses,
            )
        )

    def _prove(self, result: Result, blocks: Collection[str] | None = None) -> dict[str, Outcome]:
        assert result.fixed is not None
        settings = proof_settings(self.config)
        before, after = result.fixed.before, result.fixed.after
        if blocks is None:
            blocks = _touched(result)
        found = prove_file(result.path, before, after, settings, blocks=blocks, progress=self.progress)
        unsafely = set() if self.unsafe else fixable_unsafely(result)
        return {o.block: replace(o, add=_add(o, unsafely)) for o in found}


def _add(outcome: Outcome, unsafely: Collection[str]) -> str | None:
    """Return the advice for an outcome; it mentions unsafe fixes only if the block has some."""
    return BY_HAND_OR_UNSAFE if outcome.add == BY_HAND and outcome.block in unsafely else outcome.add


def proof_settings(config: Config) -> Settings:
    """Return the settings of a proof, including recorded setups. Raises UsageError."""
    try:
        settings = settings_from(config.verify, config.root)
    except UsageError as error:
        raise UsageError(f"{config.path}: {error}") from error
    python = chosen(settings.engine, config.verify.get("python"), os.environ)
    return replace(settings, python=python, record=load_record(config.root, config.recorded))


def prove_as_it_stands(
    source: SourceFile,
    config: Config,
    progress: Progress | None = None,
    *,
    blocks: Collection[str] | None = None,
    read: Read | None = None,
) -> list[Outcome]:
    """Prove the blocks of a file, eager against compiled; prove refuted ones also with the offered fixes.

    `blocks` are qualified names of classes, or None for all. Files read during the proof are added to `read`.
    """
    settings = proof_settings(config)
    stands = prove_file(source.path, source.text, None, settings, blocks=blocks, progress=progress, read=read)
    refuted = {outcome.block for outcome in stands if outcome.status is Status.REFUTED}
    if not refuted:
        return stands
    fixed = check(Job(source.path, source.text.encode(source.encoding), config, fix=True))
    offered = _Fixing(fixed, config, False, progress).settled(written=False).proof
    mended = [replace(o, reason=f"with `--fix`: {o.reason}", lines_of=AS_IT_IS) for o in offered if o.block in refuted]
    return sorted([*stands, *mended], key=lambda outcome: outcome.row)


def prove_anew(
    source: SourceFile, config: Config, verdicts: Verdicts, progress: Progress | None = None
) -> list[Outcome]:
    """Return the outcomes of a file as it stands; known outcomes are reused unless they ran out of time."""
    known = verdicts.get(source.path, source.text, config)
    late = None if known is None else {outcome.block for outcome in known if outcome.late}
    if known is not None and progress is not None:
        progress.expect(len(late or ()) - len(known))
    if known is not None and not late:
        return known
    read = Read()
    found = prove_as_it_stands(source, config, progress, blocks=late, read=read)
    kept = [outcome for outcome in known or () if outcome.block not in (late or ())]
    outcomes = sorted([*kept, *found], key=lambda outcome: outcome.row)
    if not STOPPED.is_set():
        verdicts.put(source.path, source.text, config, outcomes, read)
    return outcomes


def settle(
    results: Sequence[Result],
    configs: Sequence[Config],
    verdicts: Mapping[Path, Verdicts],
    *,
    asked: bool,
    progress: Progress | None = None,
) -> list[Result]:
    """Return the results with possible findings settled by the known outcomes of their blocks.

    `verdicts` has the known outcomes by project root. If `asked`, blocks without a known outcome are run.
    """

    def one(result: Result, config: Config) -> Result:
        if not doubtful(result):
            return result
        store, source = verdicts[config.root], SourceFile(result.path, result.text)
        if asked and result.fixed is None:
            return settled(result, prove_anew(source, config, store, progress))
        if result.proof and result.fixed is not None:
            before, after = result.fixed.before, result.fixed.after
            return settled(
                result, [_located(o, before, after, written=True) if o.lines_of == BEFORE else o for o in result.proof]
            )
        return settled(result, result.proof or store.get(result.path, result.text, config) or ())

    with ThreadPoolExecutor(os.cpu_count() or 1) as pool:
        return list(pool.map(one, results, configs))


def _distinct(result: Result) -> list[Applied]:
    assert result.fixed is not None
    return list({fix.key: fix for fix in reversed(result.fixed.applied)}.values())[::-1]


def _touched(result: Result) -> set[str] | None:
    """Return the blocks that fixing can have changed, None if it can have changed all of the file."""
    assert result.fixed is not None
    before, after = (SourceFile(result.path, text) for text in (result.fixed.before, result.fixed.after))
    tops = affected_classes(before, after)
    if tops is None:
        return None
    return {name for name in hybrid_classes(after) if name.partition(".")[0] in tops} | tops


def _after(result: Result) -> str:
    return "" if result.fixed is None else result.fixed.after


def _located(outcome: Outcome, text: str, shown: str, *, written: bool) -> Outcome:
    """Return an outcome for `text` with its rows mapped to the text that is shown."""
    lines_of = AFTER if written else BEFORE
    return outcome.located(rows_between(text, shown), lines_of, same=lambda row: stays(text, shown, row))


def _changed(result: Result) -> bool:
    return result.fixed is not None and result.fixed.before != result.fixed.after


def _at_fault(outcome: Outcome) -> bool:
    return outcome.status is Status.REFUTED and outcome.fault


def _reason(outcome: Outcome) -> str:
    return f"taken back, because running {outcome.block} refutes it: {outcome.reason}"
