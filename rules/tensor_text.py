"""The result depends on the text of a tensor, or of F.

`str(x)`, `repr(x)` and `dir(x)` tell what runs: an array with its numbers, or, at the trace, `<Symbol data>`. What is
computed from them is another thing once hybridized, and is frozen.

Measured:

    class Scale(HybridBlock):
        def hybrid_forward(self, F, x):
            return x * 2 if "NDArray" in repr(x) else x * 3

    >>> x = [1, 2]
    >>> eager(x)
    [2, 4]
    >>> hybridized(x)
    [3, 6]

Bad:

    return x * len(str(x))  # HYB608

Good:

    return x * self.scale
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Binary, Branch, Event
from hybridlint.analysis.model.values import TEXT, DataDependentValue, EagerTracePair, Tensor, Value
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB608", summary="text of a tensor, which once hybridized is the text of a Symbol")


@rule.on(Branch)
def check_branch(event: Branch) -> Iterator[Finding]:
    """Report branches on the text of a tensor, such as ``"NDArray" in repr(x)``."""
    if _is_text(event.value):
        yield _finding(event, event.condition)


@rule.on(Binary)
def check_operand(event: Binary) -> Iterator[Finding]:
    """Report operators between a tensor and a value computed from a tensor's text, such as ``x * len(str(x))``."""
    for tensor, other, node in (
        (event.left, event.right, event.right_node),
        (event.right, event.left, event.left_node),
    ):
        if isinstance(tensor, Tensor) and _is_text(other):
            yield _finding(event, node)


def _is_text(value: Value) -> bool:
    if isinstance(value, EagerTracePair):
        return _is_text(value.eager) or _is_text(value.traced)
    return isinstance(value, DataDependentValue) and value.reason == TEXT


def _finding(event: Event, node: ast.AST) -> Finding:
    return rule.at(
        event.node,
        f"{snippet(event.frame, node)} depends on a text that differs between a Symbol and an array",
        help="Compute the same in both modes: let a setting of the block decide.",
    )
