"""A setting that code outside of the trace changes.

Numbers, switches and texts on the block are read once, at the trace. A method or a setter that sets one of them later,
a block around it that does so before each call, a function that sets it on the block or sets a global, or a schedule
that the program moves on, has no effect on the graph: it keeps the first value, and nothing is raised.

A value that changes becomes an input. A method that is called now and then drops the graph, by `self.hybridize()` or
`self._clear_cached_op()`; the blocks around this one keep theirs, so their `hybridize()` is called again as well.

Measured:

    class Mean(HybridBlock):
        def __init__(self):
            super().__init__()
            self.length = 1

        def __call__(self, x):
            self.length = x.shape[0]
            return super().__call__(x)

        def hybrid_forward(self, F, x):
            return F.sum(x) / self.length

    >>> x, y = [2, 4], [2, 4, 6]
    >>> eager(x), eager(y)
    ([3], [4])
    >>> hybridized(x), hybridized(y)
    ([3], [6])

Bad:

    class Soft(HybridBlock):
        def __init__(self):
            super().__init__()
            self.temperature = 1.0

        def set_temperature(self, value):
            self.temperature = value

        def hybrid_forward(self, F, x):
            return F.softmax(x / self.temperature)  # HYB611

Good:

    class Soft(HybridBlock):
        def __init__(self):
            super().__init__()
            self.temperature = 1.0

        def set_temperature(self, value):
            self.temperature = value
            self._clear_cached_op()

        def hybrid_forward(self, F, x):
            return F.softmax(x / self.temperature)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import SettingChangedOutside
from hybridlint.fixers.blocks.dropped_graphs import drop_graph
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB611", summary="setting changed outside of the trace", severity=Severity.WARNING)


@rule.on(SettingChangedOutside)
def check(event: SettingChangedOutside) -> Iterator[Finding]:
    """Report reads of settings that a method, the block around this one, or a function of the module changes."""
    yield rule.at(
        event.node,
        f"`{event.by}` changes `{event.name}`, but the hybridized block keeps the value from its trace",
        fix=drop_graph(event),
        otherwise=lambda: keep_eager(event, always=False),
        help="Give the value as an input, or drop the graph where it changes.",
        notes=((event.place, f"`{event.name}` is changed here"),),
    )
