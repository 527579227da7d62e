"""An attribute of the block is stored in `hybrid_forward`.

The store happens once, at the trace, and what it keeps may be a Symbol. Later calls of the hybridized block store
nothing; code that reads the attribute afterwards sees the first value. This is also true of attributes of classes,
functions and children, and of variables of enclosing functions. It is only an information where nothing in the file
reads the attribute but to count it on, to print or to log it, to name operators, or after the same call has stored it;
and where methods that nothing calls show people what is no array. What a function gives back is no store.

Bad:

    class Attention(HybridBlock):
        def hybrid_forward(self, F, x):
            weights = F.softmax(x)
            self.weights = weights  # HYB703
            return weights * 2

Good:

    class Attention(HybridBlock):
        def hybrid_forward(self, F, x):
            weights = F.softmax(x)
            return weights * 2, weights
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.local_results import read_locally
from hybridlint.fixers.control.removals import is_read, is_unread
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.edits import Fix

rule = Rule(
    __name__, code="HYB703", summary="store on self or in a global, which happens once", severity=Severity.WARNING
)


@rule.on(SideEffect)
def check(event: SideEffect) -> Iterator[Finding]:
    """Report stores to attributes, globals and enclosing names in traced code: they happen only at the trace."""
    if event.kind not in {"attribute", "global", "nonlocal"} or event.body is not None:
        return
    idle = event.tally or is_unread(event)
    yield rule.at(
        event.node,
        f"`{event.target}` is stored once, at the trace, and not by later calls of the hybridized block",
        severity=Severity.INFO if idle else Severity.WARNING,
        fix=_fix(event, idle=idle),
        help="Return the value.",
    )


def _fix(event: SideEffect, *, idle: bool) -> Fix | None:
    """Return the fix of a store; what nothing but reports reads needs none."""
    if event.carried and is_read(event):
        return None if idle else keep_eager(event)
    return read_locally(event)
