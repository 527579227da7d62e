"""The verdict on a block that cannot run alone: a larger block of its module is judged instead."""

from __future__ import annotations

import dis
from collections.abc import Iterator
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from hybridlint.proving.child.errors import NotRunError
from hybridlint.proving.child.proof_case import PROVED, REFUTED, ProofCase

if TYPE_CHECKING:
    from collections.abc import Callable

    from hybridlint.proving.child.runs.setup import Setup
    from hybridlint.proving.child.search.setup_finder import SetupFinder

#: Most larger blocks that are judged.
MOST = 2
#: MXNet's and the bundled runtime's message for a child whose shapes the block's graph does not determine.
_UNSHAPED = "Deferred initialization failed"
_OPERATOR = "Error in operator"


def is_unshaped(reason: str) -> bool:
    """Whether a reason says that a child gets no shapes because no input reaches it, not that an operator fails."""
    return _UNSHAPED in reason and _OPERATOR not in reason


def judged_in_larger(
    case: ProofCase, finder: SetupFinder, judge: Callable[[ProofCase, Setup], dict[str, Any]]
) -> dict[str, Any] | None:
    """Return the verdict on a larger block as the verdict on a block inside it; None without a verdict.

    If the larger block has several hybrid classes, a difference counts for a class only if it shows on one of its
    lines.
    """
    for count, (setup, alone) in enumerate(finder.enclosing.larger_blocks()):
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


def _own(case: ProofCase, verdict: dict[str, Any]) -> bool:
    judged = case.after or case.before
    methods = (getattr(method, "__func__", method) for method in vars(judged.cls).values())
    codes = [method.__code__ for method in methods if isinstance(method, FunctionType)]
    rows = {row for code in codes for row in _rows(code)}
    return not rows.isdisjoint((verdict.get("row"), (verdict.get("parting") or {}).get("row")))


def _rows(code: CodeType) -> Iterator[int]:
    """Yield the rows of a function and of those inside it."""
    first = code.co_firstlineno
    yield from range(first, max((row for _, row in dis.findlinestarts(code) if row), default=first) + 1)
    for inner in code.co_consts:
        if isinstance(inner, CodeType):
            yield from _rows(inner)
