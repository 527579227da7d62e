"""Random numbers of Python or numpy are frozen.

`random.random()` and `numpy.random.rand()` run once, at the trace: every later call of the hybridized block uses
the same number. Nothing is raised. The operators under `F.random` draw anew at each call, and follow MXNet's seed:
`mx.random.seed` in `hybrid_forward` seeds at the trace only.

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

    return x * random.random()  # HYB601

Good:

    return F.broadcast_mul(x, F.random.uniform(shape=(1,)))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import TraceConstant
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB601", summary="Python or numpy random numbers, frozen at the trace")

_SOURCES = ("random.", "numpy.random.", "secrets.", "uuid.", "os.urandom")


@rule.on(TraceConstant)
def check(event: TraceConstant) -> Iterator[Finding]:
    """Report random numbers that are not MXNet's, and seeds of MXNet's, which take effect only at the trace."""
    if event.source_of_value.startswith("mxnet.") and event.source_of_value.endswith(".seed"):
        yield rule.at(
            event.node,
            f"`{event.source_of_value}` seeds once, at the trace: later calls of the hybridized block draw on",
            help="Seed outside of the block.",
        )
    if not event.source_of_value.startswith(_SOURCES):
        return
    yield rule.at(
        event.node,
        f"`{event.source_of_value}` runs once, at the trace: every later call of the hybridized block uses "
        "the same value",
        severity=Severity.ERROR if event.used else Severity.INFO,
        help="Draw with F.random, or give the number as an input.",
    )
