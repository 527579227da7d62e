"""A subscript selects an output instead of rows, silently.

On an NDArray, `x[0]` is the first row. On a Symbol, `[...]` selects among the *outputs* of the operator that made
it: a tensor is the one output, so that `x[0]`, `x[0:1]`, `x[:1]` and `x[::2]` are the whole tensor. Nothing is raised.

Measured:

    return x[0], x[0].mean()

    >>> x = [[1, 2, 3], [4, 5, 6]]
    >>> eager(x)
    [[1, 2, 3], [2]]
    >>> hybridized(x)
    [[[1, 2, 3], [4, 5, 6]], [3.5]]

Bad:

    # hybridlint: shapes(x=("N", 3))
    first = x[0]  # HYB201
    return first.mean()

Good:

    # hybridlint: shapes(x=("N", 3))
    first = F.squeeze(F.slice_axis(x, axis=0, begin=0, end=1), axis=0)
    return first.mean()
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Subscript
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.indexing.keys import selects_output
from hybridlint.fixers.indexing.subscripts import subscript
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB201", summary="subscript that means the whole tensor once hybridized", topic="subscript")


@rule.on(Subscript)
def check(event: Subscript) -> Iterator[Finding]:
    """Report subscripts, such as ``x[0]``, that return a part of an array and the whole Symbol."""
    if not isinstance(event.value, Tensor) or event.value.mode != "legacy" or not selects_output(event):
        return
    if event.value.type.shape == (1,):
        # What it has is what a Symbol gives.
        return
    assert isinstance(event.node, ast.Subscript)
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, event.node.value, event.value)}: "
        f"{snippet(event.frame, event.node)} is the whole tensor "
        "once hybridized, without any error, because a Symbol's subscript selects outputs",
        fix=subscript(event),
        help="Select with F.slice_axis, F.slice or F.take.",
    )
