"""An integer of more than 64 bits is the scalar operand of a tensor.

Python's integers have no end, and `10**20` is a number like any other on an array. The operators of a Symbol read their
scalar as text, and what does not fit into 64 bits is taken modulo 2 to the power of 64: the block computes with another
number, and nothing is raised. A float of any size is read as it is.

Measured:

    return F.minimum(x, 2**64)

    >>> x = [1, 2]
    >>> eager(x)
    [1, 2]
    >>> hybridized(x)
    [0, 0]

Bad:

    return F.minimum(x, 10**20)  # HYB307

Good:

    return F.minimum(x, float(10**20))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Binary, Event, OpCall
from hybridlint.analysis.model.values import EagerTracePair, StaticValue, Tensor, Value
from hybridlint.fixers.arithmetic.python_operators import float_scalar
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts import lookup

rule = Rule(__name__, code="HYB307", summary="integer of more than 64 bits as the scalar of an operator")

_LARGEST = 2**64 - 1


@rule.on(Binary)
def check(event: Binary) -> Iterator[Finding]:
    """Report operators between a tensor and an integer of more than 64 bits."""
    for tensor, other, node in (
        (event.left, event.right, event.right_node),
        (event.right, event.left, event.left_node),
    ):
        if isinstance(tensor, Tensor) and tensor.mode == "legacy" and _is_huge(other):
            yield _finding(event, node)


@rule.on(OpCall)
def check_function(event: OpCall) -> Iterator[Finding]:
    """Report functions that get a tensor and an integer of more than 64 bits."""
    given = event.arguments
    legacy = event.namespace.root == "F" and not event.namespace.path and event.frame.mode == "legacy"
    if (
        not legacy
        or lookup.in_both_modes(event.name) is None
        or not any(isinstance(value, Tensor) for value in given.values)
    ):
        return
    for node, value in zip(given.nodes, given.values, strict=True):
        if _is_huge(value):
            yield _finding(event, node)


def _is_huge(value: Value) -> bool:
    scalar = value.traced if isinstance(value, EagerTracePair) else value
    return isinstance(scalar, StaticValue) and type(scalar.value) is int and abs(scalar.value) > _LARGEST


def _finding(event: Event, node: ast.expr) -> Finding:
    return rule.at(
        event.node,
        f"{snippet(event.frame, node)} has more than 64 bits: once hybridized, the operator takes another number",
        fix=float_scalar(event.frame, node),
        help="Write a float.",
    )
