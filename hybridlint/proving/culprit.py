"""The search for the fix that makes a block wrong, by running the block with fewer of the file's fixes.

Texts with fewer fixes are made from the recorded edits, without another analysis of the file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from hybridlint.fixing.replay import without
from hybridlint.outcome import Outcome, Status

if TYPE_CHECKING:
    from hybridlint.fixing.applied import Applied
    from hybridlint.result import Fixed

#: Most fixes that are left out one at a time, if all of them together run but give wrong results when compiled.
MOST_LEFT_OUT = 12

#: Returns the status of the refuted block in a text with fewer fixes, None if the text has no such block.
Prove = Callable[[str], "Status | None"]


def culprit(refuted: Outcome, fixed: Fixed, prove: Prove) -> Applied:
    """Return the wrong fix: the last one of the shortest sequence of first fixes with which the block is refuted.

    For a block that is only wrong when compiled, it is the fix without which all others are proved, if there is one.
    """
    fixes = list(dict.fromkeys(fixed.applied))
    good, bad = 0, len(fixes)
    while bad - good > 1:
        middle = (good + bad) // 2
        if _status(fixed, fixes[middle:], prove) is Status.REFUTED:
            bad = middle
        else:
            good = middle
    if refuted.variant is not None and not refuted.variant.startswith("eager"):
        # With fewer fixes the code may not run compiled at all, so the wrong fix need not be the last one.
        return _only_wrong(fixed, fixes, prove) or fixes[bad - 1]
    return fixes[bad - 1]


def _only_wrong(fixed: Fixed, fixes: Sequence[Applied], prove: Prove) -> Applied | None:
    if not 1 < len(fixes) <= MOST_LEFT_OUT:
        return None
    return next((fix for fix in fixes if _status(fixed, [fix], prove) is Status.PROVED), None)


def _status(fixed: Fixed, left_out: Iterable[Applied], prove: Prove) -> Status | None:
    text = without(fixed.before, fixed.passes, {fix.id for fix in left_out})
    return None if text == fixed.before else prove(text)
