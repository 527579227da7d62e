"""A container that outlives the call is changed.

`self.history.append(y)` runs once, at the trace, and keeps a Symbol. Later calls of the hybridized block append
nothing. Nor do they under another name of the container, or in a function that gets it. It is only an information
where each call begins the container anew, or where it only shows people what is no array.

Bad:

    class Recorder(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.history = []

        def hybrid_forward(self, F, x):
            y = F.relu(x)
            self.history.append(y)  # HYB702
            return y

Good:

    class Recorder(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.history = []

        def hybrid_forward(self, F, x):
            y = F.relu(x)
            return y
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.removals import is_read, is_unread, without_append
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB702", summary="change of a container, which happens once", severity=Severity.WARNING)


@rule.on(SideEffect)
def check(event: SideEffect) -> Iterator[Finding]:
    """Report changes of lists, dicts and files that outlive the call: the graph does not repeat them."""
    if event.kind not in {"append", "file"} or event.body is not None:
        return
    yield rule.at(
        event.node,
        f"`{event.target}` is changed once, at the trace, and not by later calls of the hybridized block",
        severity=Severity.INFO if event.tally or is_unread(event) else Severity.WARNING,
        fix=without_append(event) or (keep_eager(event) if event.carried and is_read(event) else None),
        help="Return the value, and collect it outside of the block.",
    )
