"""A buffer or a parameter is written in `hybrid_forward`.

`self.buffer[:] = ...` on an NDArray and `self.weight.set_data(...)` run once, at the trace. Later calls of the
hybridized block do not update them. Nothing is raised. State that operators update (as BatchNorm's running mean) is
an auxiliary parameter of the operator.

Measured:

    class Average(HybridBlock):
        def __init__(self):
            super().__init__()
            self.calls = mx.nd.zeros((1,))

        def hybrid_forward(self, F, x):
            self.calls[:] = self.calls + 1
            return x * 2

    >>> x = [1, 2]
    >>> eager(x), eager(x), int(eager.block.calls.asscalar())
    ([2, 4], [2, 4], 2)
    >>> hybridized(x), hybridized(x), int(hybridized.block.calls.asscalar())
    ([2, 4], [2, 4], 1)

Bad:

    class Average(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            self.calls = mx.nd.zeros((1,))

        def hybrid_forward(self, F, x):
            self.calls[:] = self.calls + 1  # HYB704
            return x * 2

Good:

    class Average(HybridBlock):
        def hybrid_forward(self, F, x):
            return x * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import SideEffect
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB704", summary="write to a buffer or parameter, which happens once")


@rule.on(SideEffect)
def check(event: SideEffect) -> Iterator[Finding]:
    """Report ``self.buffer[:] = ...`` and ``set_data`` in traced code, which happen only at the trace."""
    if event.kind not in {"buffer", "set_data"}:
        return
    yield rule.at(
        event.node,
        f"`{event.target}` is written once, at the trace, and not by later calls of the hybridized block",
        fix=keep_eager(event),
        help="Update it outside of the block, from a value that hybrid_forward returns.",
    )
