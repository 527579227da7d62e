"""A child that stays eager, in a block that is compiled.

A class whose `hybridize` compiles its children alone does so because no graph can hold it: it draws in Python, or
changes its state. The graph of a block that calls it traces it all the same, and keeps what it did at the trace.
Nothing is raised. `--fix --keep-eager` lets what holds such a block stay eager too.

Measured:

    class Half(HybridBlock):
        def __init__(self):
            super().__init__()
            self.scale = 1.0

        def hybridize(self, active=True, **kwargs):
            for child in self._children.values():
                child.hybridize(active, **kwargs)

        def hybrid_forward(self, F, x):
            self.scale = self.scale / 2
            return x * self.scale

    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self.half = Half()

        def hybrid_forward(self, F, x):
            return self.half(x)

    >>> x = [8, 16]
    >>> eager(x), eager(x)
    ([4, 8], [2, 4])
    >>> hybridized(x), hybridized(x)
    ([4, 8], [4, 8])

Bad:

    class Half(HybridBlock):
        def __init__(self):
            super().__init__()
            self.scale = 1.0

        def hybridize(self, active=True, **kwargs):
            for child in self._children.values():
                child.hybridize(active, **kwargs)

        def hybrid_forward(self, F, x):
            self.scale = self.scale / 2
            return x * self.scale

    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self.half = Half()

        def hybrid_forward(self, F, x):
            return self.half(x)  # HYB812

Good:

    class Half(HybridBlock):
        def __init__(self):
            super().__init__()
            self.scale = 1.0

        def hybridize(self, active=True, **kwargs):
            for child in self._children.values():
                child.hybridize(active, **kwargs)

        def hybrid_forward(self, F, x):
            self.scale = self.scale / 2
            return x * self.scale

    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self.half = Half()

        def hybridize(self, active=True, **kwargs):
            # It holds `Half`, which stays eager: only the children are compiled.
            for child in self._children.values():
                child.hybridize(active, **kwargs)

        def hybrid_forward(self, F, x):
            return self.half(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import BlockCall
from hybridlint.analysis.mxnet.blocks.eager_by_choice import compiles_children_only
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB812", summary="call that traces a child meant to stay eager", severity=Severity.WARNING)


@rule.on(BlockCall)
def check(event: BlockCall) -> Iterator[Finding]:
    """Report calls of blocks whose ``hybridize`` compiles their children alone, by a block that is compiled."""
    held = [one for one in event.block.known if one.info is not None and compiles_children_only(one.info)]
    if not held:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} traces {held[0].layer}, although its own `hybridize` keeps it eager",
        fix=keep_eager(event),
        help="Let the block that calls it stay eager too.",
    )
