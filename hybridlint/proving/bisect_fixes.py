"""The search for the fix that makes a block wrong, by running the block with fewer of the file's fixes.

Texts with fewer fixes are made from the recorded edits, without another analysis of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from hybridlint.core.proof_outcome import ProofOutcome, ProofStatus
from hybridlint.proving.fix_subset import without

if TYPE_CHECKING:
    from hybridlint.core.applied_fixes import Applied, FixId
    from hybridlint.core.result import Fixed

#: Most fixes that are left out one at a time, if all of them together run but give wrong results when compiled.
MOST_LEFT_OUT = 12

#: Returns the status of the refuted block in a text with fewer fixes, None if the text has no such block.
Prove = Callable[[str], "ProofStatus | None"]


def culprit(refuted: ProofOutcome, fixed: Fixed, prove: Prove, taken: Collection[FixId] = ()) -> Applied | None:
    """Return the wrong fix: the last one of the shortest sequence of first fixes with which the block is refuted.

    The fixes in `taken` were taken back before, and are not considered; None if there is no other. For a block that is
    only wrong when compiled, it is the fix without which all others are proved, if there is one.
    """
    fixes = [fix for fix in dict.fromkeys(fixed.applied) if fix.id not in taken]
    if not fixes:
        return None

    def status(left_out: Iterable[Applied]) -> ProofStatus | None:
        text = without(fixed.before, fixed.passes, {*taken, *(fix.id for fix in left_out)})
        return None if text == fixed.before else prove(text)

    good, bad = 0, len(fixes)
    while bad - good > 1:
        middle = (good + bad) // 2
        if status(fixes[middle:]) is ProofStatus.REFUTED:
            bad = middle
        else:
            good = middle
    if refuted.variant is not None and not refuted.variant.startswith("eager"):
        # With fewer fixes the code may not run compiled at all, so the wrong fix need not be the last one.
        return _only_wrong(fixes, status) or fixes[bad - 1]
    return fixes[bad - 1]


def _only_wrong(fixes: Sequence[Applied], status: Callable[[Iterable[Applied]], ProofStatus | None]) -> Applied | None:
    if not 1 < len(fixes) <= MOST_LEFT_OUT:
        return None
    return next((fix for fix in fixes if status([fix]) is ProofStatus.PROVED), None)
