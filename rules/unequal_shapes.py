"""An element-wise operator on unequal shapes.

Arrays broadcast under `+`, `*` and comparisons. Symbols do not: these operators are element-wise there and raise
"Incompatible attr in node ...", without a line of source, at the first call after `hybridize()`. `F.maximum`,
`F.minimum` and `F.power` on two tensors do the same. The operators called `broadcast_...` broadcast in both modes.

Where no shape is known, a dimension of size 1 that is put into one operand (`x * mask.expand_dims(-1)`) is a warning.

Bad:

    # hybridlint: shapes(x=("N", 3), y=(3,))
    return x + y  # HYB301

Good:

    # hybridlint: shapes(x=("N", 3), y=(3,))
    return F.broadcast_add(x, y)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import Binary, OpCall
from hybridlint.analysis.model.shapes import (
    is_as_given,
    is_deliberate_broadcast,
    look_alike,
    may_differ,
    proven_difference,
)
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.describe import describe_expression, kind
from hybridlint.analysis.mxnet.shapes.gates import is_gated
from hybridlint.fixers.arithmetic.python_operators import broadcast, broadcast_call
from hybridlint.fixers.evidence.begin_states import is_step
from hybridlint.fixers.evidence.sure_tensors import surely_tensor
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.runtime.facts import lookup
from hybridlint.text.edits import Applicability, Fix

rule = Rule(__name__, code="HYB301", summary="element-wise operator on unequal shapes")


@rule.on(Binary)
def check_operator(event: Binary) -> Iterator[Finding]:
    """Report operators on two tensors whose shapes are proved to differ, or probably differ."""
    if not (isinstance(event.left, Tensor) and isinstance(event.right, Tensor)):
        return
    if event.left.mode == "np" or event.right.mode == "np":
        return
    if event.failure is None:
        yield from _suspicious(event, event.left, event.right)
        return
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, event.left_node, event.left)}, "
        f"{describe_expression(event.frame, event.right_node, event.right)}: "
        f"`{event.symbol}` does not broadcast once hybridized",
        severity=_severity(event.left, event.right),
        fix=broadcast(event) or functions_passed(event.frame),
        help="Use the operator of F that starts with broadcast_.",
    )


def _severity(left: Tensor, right: Tensor) -> Severity:
    """Return ERROR if the shapes surely differ, else WARNING: data of unknown rank may be a vector too."""
    shapes = left.type.shape, right.type.shape
    sure = None not in shapes or any(1 in (shape or ()) for shape in shapes)
    return Severity.ERROR if sure or proven_difference(left, right) is not None else Severity.WARNING


def _suspicious(event: Binary, left: Tensor, right: Tensor) -> Iterator[Finding]:
    deliberate = is_deliberate_broadcast(event.frame, (event.left_node, left), (event.right_node, right))
    if deliberate or is_gated(event):
        yield rule.at(
            event.node,
            f"{describe_expression(event.frame, event.left_node, left)}, "
            f"{describe_expression(event.frame, event.right_node, right)}: "
            f"`{event.symbol}` does not broadcast once hybridized, and one of them got a dimension of size 1",
            severity=Severity.WARNING,
            fix=broadcast(event) or functions_passed(event.frame),
            help="Use the operator of F that starts with broadcast_.",
        )
    elif event.suspicious:
        yield rule.at(
            event.node,
            f"{describe_expression(event.frame, event.left_node, left)}, "
            f"{describe_expression(event.frame, event.right_node, right)}: "
            f"`{event.symbol}` does not broadcast once hybridized, if the shapes differ",
            severity=Severity.POSSIBLE,
            later=lambda: _if_sure(event),
            help="Declare the shapes in a `# hybridlint: shapes(...)` comment, or run `hybridlint verify`.",
        )


def _if_sure(event: Binary) -> Fix | None:
    """Return the fix only if both operands are tensors, so that code that may be right keeps working.

    Two inputs of a block of which nothing else is known mostly have one shape, and so do tensors of one rank, and what
    is derived from such inputs in the same way: two sums over one axis.
    """
    assert isinstance(event.left, Tensor)
    assert isinstance(event.right, Tensor)
    if is_step(event.frame) or (is_as_given(event.left) and is_as_given(event.right)):
        return None
    if look_alike(event.left, event.right):
        return None
    fix = broadcast(event)
    tensors = all(surely_tensor(event.frame, node) for node in (event.left_node, event.right_node))
    return fix if tensors or (fix is not None and fix.applicability is Applicability.SAFE) else None


@rule.on(OpCall)
def check_function(event: OpCall) -> Iterator[Finding]:
    """Report functions that broadcast on arrays and not on Symbols."""
    if event.namespace.root != "F" or event.namespace.path or lookup.in_both_modes(event.name) is None:
        return
    match event.arguments.values, event.arguments.nodes:
        case (Tensor(mode="legacy") as left, Tensor(mode="legacy") as right), (first, second):
            pass
        case _:
            return
    deliberate = event.failure is None and is_deliberate_broadcast(event.frame, (first, left), (second, right))
    if event.failure is not None or deliberate:
        yield rule.at(
            event.node,
            f"F.{event.name} of {kind(left)} and {kind(right)} does not broadcast once hybridized",
            severity=Severity.WARNING if deliberate else Severity.ERROR,
            fix=broadcast_call(event),
            help=f"Use F.broadcast_{event.name}.",
        )
    elif may_differ(left, right):
        yield rule.at(
            event.node,
            f"F.{event.name} of {kind(left)} and {kind(right)} does not broadcast once hybridized, if they differ",
            severity=Severity.POSSIBLE,
            later=lambda: None if is_step(event.frame) or look_alike(left, right) else broadcast_call(event),
            help="Declare the shapes in a `# hybridlint: shapes(...)` comment, or run `hybridlint verify`.",
        )
