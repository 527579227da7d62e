"""A test of the kind of array changes the result.

`isinstance(x, NDArray)`, `hasattr(x, "shape")`, `F is mx.nd` and their kin are true in one mode and false in the
other. Where both ways compute the same, such a guard is fine. Here they do not: the block gives another result once
hybridized, and nothing is raised. A `try` whose body only arrays come through is such a guard too: its handler is
what the hybridized block does. Where such a guard puts a setting in place of a size that only arrays have, the results
are the same for this size alone. Where a size, which the trace has no number for, chooses between two computations, the
hybridized block always makes the same one. Where only eager runs set a Parameter, or move on a counter, that the
block computes with, later results differ. Where only eager runs choose by the numbers in a tensor, the
results differ for some of them.

Measured:

    return x * 2 if F is mx.nd else x * 3

    >>> x = [1, 2]
    >>> eager(x)
    [2, 4]
    >>> hybridized(x)
    [3, 6]

Bad:

    return x * 2 if F is mx.nd else x * 3  # HYB406

Good:

    return x * 2
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import GuardEvent
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.kind_guards import eager_side
from hybridlint.fixers.control.preparatory import eager_way
from hybridlint.fixers.control.symbol_kinds import also_of_symbols
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.edits import Fix

rule = Rule(__name__, code="HYB406", summary="guard on the kind of array that changes the result")


@rule.on(GuardEvent)
def check(event: GuardEvent) -> Iterator[Finding]:
    """Report guards, such as ``F is mx.nd``, whose branches are proved to compute different values."""
    if not event.differs:
        return
    if isinstance(event.node, ast.Assert):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} raises AssertionError once hybridized: only eager runs pass it",
            fix=_fix(event),
            help="Compute the same in both modes, or derive from Block.",
        )
        return
    what = "raises" if event.raises else "gets another answer"
    follows = "the two branches compute different values"
    if event.chooses:
        follows = "eager runs choose by the size what they compute"
    elif event.guess:
        follows = "a setting stands for the size that eager runs read"
    elif event.by_data:
        follows = "eager runs choose by the numbers in a tensor what they compute"
    elif event.moves:
        follows = "only eager runs change what later calls compute with"
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} {what} once hybridized, and {follows}",
        severity=Severity.WARNING if event.guess or event.by_data else Severity.ERROR,
        fix=_fix(event),
        otherwise=lambda: keep_eager(event, always=False) if event.guess or event.moves or event.by_data else None,
        help="Compute the same in both modes.",
    )


def _fix(event: GuardEvent) -> Fix | None:
    if event.moves:
        # At the trace the change would be made once, of Symbols.
        return None
    return eager_way(event.frame) if event.raises else eager_side(event) or also_of_symbols(event)
