"""Python state that changes from call to call is frozen.

A counter, a flag, a list or a running value on self is read once, at the trace. Later calls of the hybridized block
run the graph and no Python: the value that was read stays, and updates do not happen. Nothing is raised.

A value that the caller knows becomes an input. A block that is no part of another computes its numbers in an override
of `forward`, which Python runs in each call, and hands them to the graph: `--unsafe-fixes` writes that, as below. For
state that tensors decide there is no such form. `--fix --keep-eager` keeps its block eager: `hybridize` compiles the
children alone, and so does that of the blocks that hold it.

Measured:

    class Count(HybridBlock):
        def __init__(self):
            super().__init__()
            self.n = 0

        def hybrid_forward(self, F, x):
            self.n += 1
            return x * self.n

    >>> x = [1, 2]
    >>> eager(x), eager(x), eager(x)
    ([1, 2], [2, 4], [3, 6])
    >>> hybridized(x), hybridized(x), hybridized(x)
    ([1, 2], [1, 2], [1, 2])

Bad:

    class Fade(HybridBlock):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.alpha = 0.0
            self.dense = nn.Dense(units)

        def hybrid_forward(self, F, x):
            y = self.dense(x) * self.alpha  # HYB604
            self.alpha = min(1.0, self.alpha + 0.1)  # HYB703
            return y

Good:

    class Fade(HybridBlock):
        def __init__(self, units, **kwargs):
            super().__init__(**kwargs)
            self.alpha = 0.0
            self.dense = nn.Dense(units)

        def forward(self, x):
            alpha = self.alpha
            self.alpha = min(1.0, self.alpha + 0.1)
            return super().forward(x, mx.nd.array([alpha], ctx=x.context))

        def hybrid_forward(self, F, x, alpha):
            y = F.broadcast_mul(self.dense(x), alpha)
            return y
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import SideEffect, TraceConstant
from hybridlint.fixers.blocks.handed_numbers import handed_to_graph
from hybridlint.fixers.blocks.retracing import drop_where_stored
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.blocks.stored_inputs import computed_in_graph
from hybridlint.fixers.control.removals import first_read, is_unread
from hybridlint.fixers.evidence.held_objects import asked_of_object
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB604", summary="changing Python state, frozen at the trace")

_KINDS = frozenset({"attribute", "append", "global", "nonlocal"})
_OTHERS = (
    *("random.", "numpy.random.", "secrets.", "uuid.", "time.", "datetime."),
    *("os.", "sys.", "open", "input", "itertools.", "next", "mxnet."),
)


@rule.on(SideEffect)
def check_read(event: SideEffect) -> Iterator[Finding]:
    """Report the first place that reads an attribute which the block itself changes during its call."""
    if event.kind not in _KINDS or event.frame.function is None or not event.carried:
        return
    asked = asked_of_object(event)
    read = asked or first_read(event)
    if read is not None:
        # What only counts and reports changes no result.
        idle = event.tally or is_unread(event)
        yield rule.at(
            read,
            f"`{event.target if asked is None else ast.unparse(asked)}` changes between calls, but the hybridized "
            "block keeps its value from the trace",
            severity=Severity.INFO if idle else Severity.ERROR,
            fix=None if idle else handed_to_graph(event),
            otherwise=lambda: None if idle else keep_eager(event),
            help="Give the value as an input, or keep it in a Parameter.",
            notes=((event.node, f"`{event.target}` is changed here"),),
        )


@rule.on(TraceConstant)
def check(event: TraceConstant) -> Iterator[Finding]:
    """Report attributes and other state that the trace reads as constants although the block itself changes them."""
    source = event.source_of_value
    if (
        source.startswith(_OTHERS)
        or source.rpartition(".")[2] in {"is_training", "is_recording", "current_context"}
        or source.endswith(")")
    ):
        return
    yield rule.at(
        event.node,
        f"`{source}` changes between calls, but the hybridized block keeps its value from the trace",
        severity=Severity.ERROR if event.used else Severity.INFO,
        fix=computed_in_graph(event) or drop_where_stored(event) if event.used else None,
        otherwise=lambda: keep_eager(event) if event.used else None,
        help="Give the value as an input, or keep it in a Parameter.",
    )
