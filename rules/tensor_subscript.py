"""A tensor is indexed.

A Symbol's subscript selects among the outputs of an operator. A tensor is one output, so that every key but `0` and
slices from 0 raises when the block is hybridized: IndexError for `x[1]`, MXNetError for `x[-1]`, TypeError for
`x[:, 0]`, `x[None]` and tensors as keys.

Bad:

    # hybridlint: shapes(x=("N", 8, 3))
    first = x[:, 0]  # HYB202
    rest = x[:, 1:]  # HYB202
    return F.broadcast_sub(rest, first.expand_dims(1))

Good:

    # hybridlint: shapes(x=("N", 8, 3))
    first = F.squeeze(F.slice_axis(x, axis=1, begin=0, end=1), axis=1)
    rest = F.slice_axis(x, axis=1, begin=1, end=None)
    return F.broadcast_sub(rest, first.expand_dims(1))
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import STATIC_UNKNOWN, StaticValue, Tensor, Unknown
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.functions.namespace_arguments import functions_passed
from hybridlint.fixers.indexing.keys import selects_output, whole_slice
from hybridlint.fixers.indexing.subscripts import subscript
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB202", summary="subscript on a tensor", topic="subscript")


@rule.on(Subscript)
def check(event: Subscript) -> Iterator[Finding]:
    """Report subscripts that a Symbol of one output refuses."""
    if not isinstance(event.value, Tensor) or event.value.mode != "legacy" or selects_output(event):
        return
    if len(event.keys) == 1 and (whole_slice(event.keys[0]) or event.key_values[0] == StaticValue(slice(None))):
        return
    assert isinstance(event.node, ast.Subscript)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, event.node.value, event.value)}: "
        f"{snippet(event.frame, event.node)} {_outcome(event)}, "
        "because a Symbol's subscript selects outputs",
        fix=subscript(event) or functions_passed(event.frame),
        help="Select with F.slice_axis, F.slice or F.take.",
    )


def _outcome(event: Subscript) -> str:
    """Return a phrase for the result of the subscript at the trace."""
    raised = "raises once hybridized"
    key = event.key_values[0]
    open_number = len(event.keys) == 1 and (key == StaticValue(STATIC_UNKNOWN) or key == Unknown())
    if not open_number or isinstance(event.keys[0], ast.Slice):
        return raised
    return f"{raised}, or is the whole tensor where the key is 0"
