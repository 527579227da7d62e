"""A name of a namedtuple is read of what comes out of a compiled block.

A graph takes and returns arrays and lists of them. A namedtuple that `hybrid_forward` returns is a namedtuple inside of
the graph, where the blocks around it are traced too, and a plain list for whoever calls the hybridized block:
`out.mean` raises AttributeError there. The same happens to a namedtuple that a compiled block is given.

Lists and tuples can be unpacked alike, or made a namedtuple again: `Normal(*out)`.

Bad:

    from collections import namedtuple

    Normal = namedtuple("Normal", ["mean", "scale"])

    class Head(HybridBlock):
        def hybrid_forward(self, F, x):
            return Normal(F.tanh(x), F.exp(x))

    class Net(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.head = Head()

        def forward(self, x):
            out = self.head(x)
            return out.mean * 2  # HYB817

Good:

    from collections import namedtuple

    Normal = namedtuple("Normal", ["mean", "scale"])

    class Head(HybridBlock):
        def hybrid_forward(self, F, x):
            return Normal(F.tanh(x), F.exp(x))

    class Net(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.head = Head()

        def forward(self, x):
            out = Normal(*self.head(x))
            return out.mean * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import LostName
from hybridlint.fixers.blocks.namedtuple_outputs import named_again
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB817", summary="name of an output that is a list once hybridized")


@rule.on(LostName)
def check(event: LostName) -> Iterator[Finding]:
    """Report names of namedtuples that a compiled block has made lists."""
    sure = event.returned is None
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: a hybridized block gives a list here, which has no `{event.name}`",
        severity=Severity.ERROR if sure else Severity.WARNING,
        fix=named_again(event),
        help="Unpack it, or make a namedtuple of it again.",
        notes=() if event.returned is None else ((event.returned, "a block returns the namedtuple here"),),
    )
