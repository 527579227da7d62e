"""A hook is put on a child.

Hooks of a child run while its parent is traced, once, and get Symbols instead of arrays. Later calls of the
hybridized parent run the graph, and the hook not at all. Nothing is raised, unless the hook reads data.

Measured:

    class Net(HybridBlock):
        def __init__(self):
            super().__init__()
            self.seen = []
            with self.name_scope():
                self.dense = nn.Dense(1)
            self.dense.register_forward_hook(lambda block, inputs, output: self.seen.append(1))

        def hybrid_forward(self, F, x):
            return self.dense(x)

    >>> x = [[1, 2]]
    >>> eager(x), eager(x), len(eager.block.seen)
    ([[3]], [[3]], 2)
    >>> hybridized(x), hybridized(x), len(hybridized.block.seen)
    ([[3]], [[3]], 1)

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(2)
            self.dense.register_forward_hook(lambda block, inputs, output: print(output))  # HYB705

        def hybrid_forward(self, F, x):
            return self.dense(x)

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(2)

        def hybrid_forward(self, F, x):
            return self.dense(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import SideEffect
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB705", summary="hook on a child, which runs once", severity=Severity.WARNING)


@rule.on(SideEffect)
def check(event: SideEffect) -> Iterator[Finding]:
    """Report hooks registered on a child block: the parent's graph never calls them."""
    if event.kind != "hook":
        return
    yield rule.at(
        event.node,
        f"the hook on `{event.target}` runs once, while the parent is traced, and gets Symbols",
        help="Put the hook on the outermost block, or use a monitor.",
    )
