"""A compiled block is given what no graph takes.

A block that is no HybridBlock stays eager, and `hybridize()` compiles its children. Each of them then takes arrays, and
lists of arrays: numbers, texts, dicts and arrays of numpy raise ValueError. Inside of a graph they are fine, since a
traced block calls its children as plain functions.

Bad:

    class Repeat(HybridBlock):
        def hybrid_forward(self, F, x, times):
            return F.repeat(x, repeats=times, axis=0)

    class Net(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.repeat = Repeat()

        def forward(self, x):
            return self.repeat(x, 3)  # HYB816

Good:

    class Repeat(HybridBlock):
        def __init__(self, times, **kwargs):
            super().__init__(**kwargs)
            self._times = times

        def hybrid_forward(self, F, x):
            return F.repeat(x, repeats=self._times, axis=0)

    class Net(gluon.Block):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.repeat = Repeat(3)

        def forward(self, x):
            return self.repeat(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import block_name, snippet
from hybridlint.analysis.model.events import CompiledCall
from hybridlint.analysis.model.values import STATIC_UNKNOWN, StaticValue
from hybridlint.analysis.mxnet.blocks.eager_callers import refused_part
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(__name__, code="HYB816", summary="input that a compiled block refuses")


@rule.on(CompiledCall)
def check(event: CompiledCall) -> Iterator[Finding]:
    """Report inputs of compiled blocks that are no arrays, and calls whose inputs have another structure."""
    given = event.arguments
    if event.other is not None:
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} gives {block_name(event.block)} inputs of another structure than "
            "an earlier call: compiled, it raises ValueError",
            help="Give arrays in all calls, and lists of one length.",
            notes=((event.other, "the other call is here"),),
        )
        return
    for node, value in zip(given.nodes, given.values, strict=True):
        held = refused_part(value)
        if held is None:
            continue
        sure = not (isinstance(held, StaticValue) and held.value is STATIC_UNKNOWN)
        yield rule.at(
            node,
            f"{snippet(event.frame, node)} is not an array: once hybridized, {block_name(event.block)} accepts only "
            "arrays and lists of arrays",
            severity=Severity.ERROR if sure else Severity.WARNING,
            help="Give it to the block's constructor.",
        )
