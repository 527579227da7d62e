"""Asks the user to accept or decline fixes, class by class, and returns the file with the accepted fixes."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from hybridlint.core.result import Refix, Result
from hybridlint.core.review import Answer, Ask, ProposedChange
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.core.applied_fixes import Applied, FixId

_DECLINED = "it was declined"
#: Without some fixes others may apply, which nobody has seen: they are declined too, so many times at most.
_MOST_TURNS = 10


def review_fixes(results: Sequence[Result], refix: Sequence[Refix], ask: Ask) -> list[Result]:
    """Return the results with the fixes that are accepted. `ask` is asked until it answers for all."""
    done: list[Result] = []
    answer: Answer | None = None
    for result, again in zip(results, refix, strict=True):
        if result.fixed is None or not result.fixed.changed or answer is Answer.ALL:
            done.append(result)
            continue
        asking = _Asking(result, again)
        if answer is not Answer.QUIT:
            answer = asking.ask(ask)
        done.append(asking.outcome())
    return done


class _Asking:
    """The questions about one file."""

    def __init__(self, result: Result, refix: Refix) -> None:
        self._result = result
        self._refix = refix
        self._applied: tuple[Applied, ...] = () if result.fixed is None else result.fixed.applied
        self._known = {fix.id for fix in self._applied}
        self._accepted: set[FixId] = set()

    def ask(self, ask: Ask) -> Answer | None:
        """Ask about the classes of the file. Returns ALL or QUIT if that was answered."""
        parts = list(_by_block(self._applied))
        while parts:
            fixes = parts.pop(0)
            shown = self._shown(fixes)
            if shown is None:
                continue
            answer = ask(shown)
            if answer is Answer.SPLIT and len(fixes) > 1:
                parts = [*([fix] for fix in fixes), *parts]
            elif answer is Answer.YES:
                self._accepted |= {fix.id for fix in fixes}
            elif answer is Answer.ALL:
                self._accepted |= {fix.id for each in [fixes, *parts] for fix in each}
                return answer
            elif answer is Answer.QUIT:
                return answer
        return None

    def outcome(self) -> Result:
        """Return the result of the file with the accepted fixes."""
        if self._accepted >= {fix.id for fix in self._applied}:
            return self._result
        result = self._only(self._accepted)
        if result.fixed is None:
            return result
        kept = tuple(drop for drop in result.fixed.dropped if drop.reason != _DECLINED)
        return replace(result, fixed=replace(result.fixed, dropped=kept))

    def _shown(self, fixes: Sequence[Applied]) -> ProposedChange | None:
        """Return the change that fixes make; None if they need other fixes that the user declined."""
        before = _text(self._only(self._accepted))
        after = _text(self._only(self._accepted | {fix.id for fix in fixes}))
        if before == after:
            return None
        block = fixes[0].block
        # What was proved is the class with all of its fixes.
        whole = {fix.id for fix in self._applied if fix.block == block} <= {fix.id for fix in fixes}
        proof = tuple(outcome for outcome in self._result.proof if outcome.block == block and whole)
        return ProposedChange(self._result.path, block, tuple(fix.code for fix in fixes), before, after, proof)

    def _only(self, wanted: Collection[FixId]) -> Result:
        """Return the file fixed by some fixes alone."""
        for _ in range(_MOST_TURNS):
            result = self._refix(dict.fromkeys(self._known - set(wanted), _DECLINED))
            applied = () if result.fixed is None else result.fixed.applied
            new = {fix.id for fix in applied} - self._known
            if not new:
                break
            self._known |= new
        return result


def _by_block(applied: Iterable[Applied]) -> Iterator[list[Applied]]:
    blocks: dict[str, list[Applied]] = {}
    for fix in applied:
        blocks.setdefault(fix.block, []).append(fix)
    yield from blocks.values()


def _text(result: Result) -> str:
    return "" if result.fixed is None else result.fixed.after
