"""The outputs of an operator are used as a list.

`F.split` returns a list eagerly and one Symbol at the trace: `append`, item assignment, `+` with a list, arithmetic
and the `unroll` of a cell fail when the block is hybridized. Make a list of it first.

Bad:

    parts = F.split(x, num_outputs=3, axis=1)
    parts.append(x * 2)  # HYB212
    return parts

Good:

    parts = list(F.split(x, num_outputs=3, axis=1))
    parts.append(x * 2)
    return parts
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet, subject
from hybridlint.analysis.model.events import Binary, BlockCall, MethodCall
from hybridlint.analysis.model.values import Outputs
from hybridlint.fixers.blocks.outputs import as_list, is_none
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB212", summary="outputs of an operator used as a list")

_LIST_METHODS = frozenset({"append", "extend", "insert", "pop", "remove", "reverse", "index", "count", "clear", "sort"})


@rule.on(MethodCall)
def check_method(event: MethodCall) -> Iterator[Finding]:
    """Report methods of lists that the code calls on the outputs of an operator."""
    if event.name not in _LIST_METHODS or not isinstance(event.receiver, Outputs):
        return
    receiver = subject(event.node)
    assert isinstance(receiver, ast.expr)
    yield rule.at(
        event.node,
        f"{snippet(event.frame, receiver)} is a list eagerly and one Symbol once hybridized, which has no "
        f"`{event.name}`",
        fix=as_list(event.frame, receiver),
        help="Make a list first: `list(...)`.",
    )


@rule.on(Binary)
def check_operator(event: Binary) -> Iterator[Finding]:
    """Report arithmetic and comparison with several outputs."""
    for node, value in ((event.left_node, event.left), (event.right_node, event.right)):
        if isinstance(value, Outputs) and value.mode == "legacy":
            yield rule.at(
                event.node,
                f"{snippet(event.frame, node)} is a list eagerly and one Symbol once hybridized: `{event.symbol}` "
                "differs",
                fix=is_none(event) or (as_list(event.frame, node) if event.symbol in {"+", "*"} else None),
                help="Apply the operator to each output.",
            )
            return


@rule.on(BlockCall)
def check_unroll(event: BlockCall) -> Iterator[Finding]:
    """Report several outputs passed as the inputs of a cell's ``unroll``, which iterates only over lists."""
    given = event.arguments
    for node, value in [*zip(given.nodes, given.values, strict=True)][1:2]:
        if event.unrolled and isinstance(value, Outputs) and value.mode == "legacy":
            yield rule.at(
                node,
                f"{snippet(event.frame, node)} is a list eagerly and one Symbol once hybridized: `unroll` refuses it",
                fix=as_list(event.frame, node),
                help="Make a list first: `list(...)`.",
            )
