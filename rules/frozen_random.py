"""Random numbers of Python or numpy are frozen.

`random.random()` and `numpy.random.rand()` run once, at the trace: every later call of the hybridized block uses the
same number. Nothing is raised. The operators under `F.random` draw anew at each call, and follow MXNet's seed:
`mx.random.seed` in `hybrid_forward` seeds at the trace only. Eagerly they draw on the current device, which is the CPU
unless a `with mx.gpu():` says otherwise: give them `ctx=` where eager runs are on another one.

A draw that decides between two results has a graph too: it computes both, and `F.where` chooses, which costs the time
of the result that is not wanted. A draw that decides anything else of what Python does, such as how many layers run,
has none: `--fix --keep-eager` leaves its block eager, and compiles the children alone.

Measured:

    import random
    return x * random.random()

    >>> x = [1, 2, 3]
    >>> eager(x) == eager(x)
    False
    >>> hybridized(x) == hybridized(x)
    True

Bad:

    import random

    class StochasticDepth(HybridBlock):
        def __init__(self, channels, **kwargs):
            super().__init__(**kwargs)
            self.conv = nn.Conv2D(channels, 3, padding=1)

        def hybrid_forward(self, F, x):
            if random.random() > 0.8:  # HYB601
                return x * 1
            return x + self.conv(x)

Good:

    class StochasticDepth(HybridBlock):
        def __init__(self, channels, **kwargs):
            super().__init__(**kwargs)
            self.conv = nn.Conv2D(channels, 3, padding=1)

        def hybrid_forward(self, F, x):
            return F.where(F.broadcast_mul(F.ones_like(x), F.random.uniform(shape=(1,)) > 0.8), x * 1, x + self.conv(x))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import TraceConstant
from hybridlint.fixers.arithmetic.graph_draws import drawn_in_graph
from hybridlint.fixers.blocks.staying_eager import DRAWS, keep_eager
from hybridlint.fixers.control.branches import choose_by_mode
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB601", summary="Python or numpy random numbers, frozen at the trace")


@rule.on(TraceConstant)
def check(event: TraceConstant) -> Iterator[Finding]:
    """Report random numbers that are not MXNet's, and seeds of MXNet's, which take effect only at the trace."""
    if event.source_of_value.startswith("mxnet.") and event.source_of_value.endswith(".seed"):
        yield rule.at(
            event.node,
            f"`{event.source_of_value}` seeds only at the trace: later hybridized calls draw on without it",
            help="Seed outside of the block.",
        )
    if not event.source_of_value.startswith(DRAWS):
        return
    yield rule.at(
        event.node,
        f"`{event.source_of_value}` runs only at the trace: every hybridized call uses the value from there",
        severity=Severity.ERROR if event.used else Severity.INFO,
        fix=(drawn_in_graph(event) or choose_by_mode(event)) if event.used else None,
        otherwise=lambda: keep_eager(event) if event.used else None,
        help="Draw with F.random, or give the number as an input.",
    )
