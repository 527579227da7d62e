"""A size of a parameter that is not known yet.

A parameter whose shape has a 0, and the weight of a layer that is not told its number of inputs, get their sizes from
the first batch. A block that is hybridized before it has run is traced before that: the size is 0 then, and stays 0 in
the graph. Eagerly it is the right one. Nothing is raised.

Measured:

    class Scale(HybridBlock):
        def __init__(self):
            super().__init__()
            with self.name_scope():
                self.dense = nn.Dense(1)

        def hybrid_forward(self, F, x):
            return self.dense(x) * 0 + self.dense.weight.shape[1]

    >>> x = [[1, 2]]
    >>> eager(x)
    [[2]]
    >>> hybridized(x)
    [[0]]

Bad:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(4)

        def hybrid_forward(self, F, x):
            return self.dense(x) * self.dense.weight.shape[1]  # HYB610

Good:

    class Net(HybridBlock):
        def __init__(self, **kwargs):
            super().__init__(**kwargs)
            with self.name_scope():
                self.dense = nn.Dense(4, in_units=3)

        def hybrid_forward(self, F, x):
            return self.dense(x) * self.dense.weight.shape[1]
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import Binary, Event, MethodCall, OpCall
from hybridlint.analysis.model.lattice import parts
from hybridlint.analysis.model.values import ContainerValue, DataDependentValue, Value
from hybridlint.analysis.mxnet.blocks.deferred_initialization import LATE
from hybridlint.rule import Finding, Rule, Severity

rule = Rule(
    __name__, code="HYB610", summary="size of a parameter, which the trace finds to be 0", severity=Severity.WARNING
)


@rule.on(Binary)
def check_operand(event: Binary) -> Iterator[Finding]:
    """Report an operator between a tensor and a parameter's size that is unknown before the first batch."""
    if _is_late(event.left) or _is_late(event.right):
        yield _finding(event)


@rule.on(OpCall)
def check_function(event: OpCall) -> Iterator[Finding]:
    """Report functions of F that get a parameter's size that is unknown before the first batch."""
    if any(map(_is_late, [*event.arguments.values, *event.arguments.keywords.values()])):
        yield _finding(event)


@rule.on(MethodCall)
def check_method(event: MethodCall) -> Iterator[Finding]:
    """Report methods of tensors that get a parameter's size that is unknown before the first batch."""
    if any(map(_is_late, [*event.arguments.values, *event.arguments.keywords.values()])):
        yield _finding(event)


def _is_late(value: Value) -> bool:
    if isinstance(value, ContainerValue):
        return any(map(_is_late, parts(value)))
    return isinstance(value, DataDependentValue) and value.reason == LATE


def _finding(event: Event) -> Finding:
    return rule.at(
        event.node,
        "a size that the first batch decides is 0 if the block is traced before it has run",
        help="Give the layer its number of inputs (in_units, in_channels).",
    )
