"""A boolean is the scalar operand of a tensor.

`x + True` is `x + 1` on an array. The operators of a Symbol write their scalar as text, and "True" is no number:
the block raises. So do `F.maximum`, `F.minimum` and `F.power` with a number, and the sizes of `x.reshape`.

Bad:

    return x + True  # HYB304

Good:

    return x + 1
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Binary, MethodCall, OpCall
from hybridlint.analysis.model.values import ContainerValue, EagerTracePair, StaticValue, Tensor, Value
from hybridlint.fixers.arithmetic.python_operators import integer_scalar
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts import lookup

rule = Rule(__name__, code="HYB304", summary="boolean as the scalar of an operator")


@rule.on(Binary)
def check(event: Binary) -> Iterator[Finding]:
    """Report an operator between a tensor and a Python or numpy boolean."""
    pairs = ((event.left, event.right, event.right_node), (event.right, event.left, event.left_node))
    for tensor, other, node in pairs:
        scalar = other.traced if isinstance(other, EagerTracePair) else other
        if not isinstance(tensor, Tensor) or tensor.mode != "legacy" or not isinstance(scalar, StaticValue):
            continue
        if scalar.may_be_boolean or event.frame.source.code(node).endswith(("np.True_", "np.False_")):
            yield rule.at(
                event.node,
                f"{snippet(event.frame, node)} is a boolean: the operator of a Symbol takes numbers only",
                fix=integer_scalar(event, node),
                help="Write 1 or 0.",
            )


@rule.on(OpCall)
def check_function(event: OpCall) -> Iterator[Finding]:
    """Report functions of a tensor and a Python or numpy boolean."""
    namespace, given = event.namespace, event.arguments
    if (
        namespace.root != "F"
        or namespace.path
        or lookup.in_both_modes(event.name) is None
        or event.frame.mode != "legacy"
    ):
        return
    if any(isinstance(value, Tensor) for value in given.values):
        for node, value in zip(given.nodes, given.values, strict=True):
            if _is_boolean(value):
                yield rule.at(
                    event.node,
                    f"{snippet(event.frame, node)} is a boolean: the function of Symbols takes numbers only",
                    help="Write 1 or 0.",
                )


@rule.on(MethodCall)
def check_sizes(event: MethodCall) -> Iterator[Finding]:
    """Report booleans in a shape, which an array reads as 0 and 1."""
    if event.name != "reshape" or not isinstance(event.receiver, Tensor) or event.receiver.mode != "legacy":
        return
    given = event.arguments
    sizes = [part for value in (*given.values, *given.keywords.values()) for part in _parts(value)]
    if any(map(_is_boolean, sizes)):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} has a boolean for a size: the method of a Symbol takes numbers only",
            help="Write 1 or 0.",
        )


def _parts(value: Value) -> tuple[Value, ...]:
    return value.items or () if isinstance(value, ContainerValue) else ()


def _is_boolean(value: Value) -> bool:
    return isinstance(value, StaticValue) and value.may_be_boolean
