"""`hybrid_forward` is a generator.

A function that contains `yield` returns a generator, eagerly a lazy sequence of arrays. A graph has no such output:
the hybridized block raises.

Bad:

    for scale in (1, 2):
        yield x * scale  # HYB808

Good:

    return [x * scale for scale in (1, 2)]
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import yields
from hybridlint.analysis.model.events import SignatureEvent
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB808", summary="yield in hybrid_forward", needs_values=True)


@rule.on(SignatureEvent)
def check(event: SignatureEvent) -> Iterator[Finding]:
    """Report the first yield of a hybrid_forward."""
    first = next(yields(event.node), None)
    if first is not None:
        yield rule.at(
            first,
            "`hybrid_forward` with `yield` returns a generator, which is not an output that a graph can have",
            help="Return a list.",
        )
