"""The verdict on a block that says nothing alone: that on the larger block of its module which holds it."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.case import PROVED, REFUTED, Case
from hybridlint.proving.child.errors import NotRunError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.inputs.trial import Finder
    from hybridlint.proving.child.runs.setup import Setup

#: Larger blocks that are judged at most.
MOST = 2
#: How MXNet, and the bundled runtime, refuse a child whose shapes nothing in a block's own graph tells.
UNSHAPED = "Deferred initialization failed"


def judged_whole(case: Case, finder: Finder, judge: Callable[[Case, Setup], dict[str, Any]]) -> dict[str, Any] | None:
    """Return the verdict on a larger block as that on the block in it, None where there is none that speaks of it.

    Of several hybrid blocks in it, a difference is one's own that shows in a line of its class.
    """
    for count, (setup, alone) in enumerate(finder.enclosing.wholes()):
        if count == MOST:
            return None
        try:
            verdict = judge(case, setup)
        except NotRunError:
            continue
        assert setup.arguments.within is not None
        if verdict["status"] == PROVED:
            part = f"a part of {setup.arguments.within.expression}"
            verdict["only"] = [*verdict["only"], part]
            verdict["reason"] = f"only as {part}: {verdict['reason']}"
            return {**verdict, "directive": None}
        if verdict["status"] == REFUTED and (alone or _own(case, verdict)):
            return verdict
    return None


def _own(case: Case, verdict: dict[str, Any]) -> bool:
    judged = case.after or case.before
    try:
        lines, first = inspect.getsourcelines(judged.cls)
    except (OSError, TypeError):
        return False
    rows = [verdict.get("row"), (verdict.get("parting") or {}).get("row")]
    return any(row is not None and first <= row < first + len(lines) for row in rows)
