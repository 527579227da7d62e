"""Why a finding has no safe fix, in one sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hybridlint.core.diagnostic import Diagnostic
    from hybridlint.core.result import Result


def why_no_safe_fix(found: Diagnostic, tried: Result | None) -> str | None:
    """Return the reason, None if there is a safe fix.

    `tried` is the result of making all fixes in memory, unsafe ones included, None if that was not possible.
    """
    if found.fixable(unsafe=False):
        return None
    if found.fix is None:
        by_hand = f" By hand: {found.help}" if found.help else ""
        return f"no rewrite is known that is right for this code.{by_hand}"
    if found.hidden_fix:
        return "its fix rests on a guess about the code: read it before you apply it."
    if found.may_stay_eager:
        return "all that is known to help is to keep the class eager, which gives up compiling it."
    dropped = () if tried is None or tried.fixed is None else tried.fixed.dropped
    rows = range(found.location.row, found.end_location.row + 1)
    reason = next((each.reason for each in dropped if each.code == found.code and each.row_before in rows), None)
    if reason is not None:
        return f"its fix was tried and left out: {reason}."
    return f"its fix is a first step and may need work by hand: {found.fix.message}."
