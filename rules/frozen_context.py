"""The current context decides.

`mx.current_context()` is that of the first input, in eager runs and at the trace. A hybridized block is traced once,
on the context of its first call, and then runs on every other one: what the context decided at the trace stays in the
graph, although parameters and inputs are on another device. Nothing is raised.

As the context of an array that is made, it is right in both modes.

Measured:

    if mx.current_context() == mx.cpu(1):
        x = x + 1
    return x * 1

    >>> x = [1, 2]
    >>> eager(x), eager.second(x)
    ([1, 2], [2, 3])
    >>> hybridized(x), hybridized.second(x)
    ([1, 2], [1, 2])

Bad:

    # hybridlint: shapes(x=(2, 3))
    scale = F.ones((1, 3), ctx=mx.current_context())
    if mx.current_context() == mx.gpu(1):  # HYB612
        scale = scale * 2
    return F.broadcast_mul(x, scale)

Good:

    # hybridlint: shapes(x=(2, 3))
    scale = F.ones((1, 3), ctx=mx.current_context())
    return F.broadcast_mul(x, scale * self.factor)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import CodeContext, TraceConstant
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.syntax import holds, reads, walk

rule = Rule(__name__, code="HYB612", summary="current context, frozen at the trace", severity=Severity.WARNING)


@rule.on(TraceConstant)
def check(event: TraceConstant) -> Iterator[Finding]:
    """Report ``mx.current_context()`` where something is decided by it."""
    if event.source_of_value.rpartition(".")[2] != "current_context" or not _decides(event.frame, event.node):
        return
    yield rule.at(
        event.node,
        f"`{event.source_of_value}()` is asked once, at the trace, and the hybridized block decides by that answer on "
        "every device",
        help="Decide outside of the block, or give it what differs as an input or a setting.",
    )


def _decides(frame: CodeContext, node: ast.AST) -> bool:
    """Return whether a value, or a name that is bound to it, is compared or tested."""
    if _tested(frame.statement, node):
        return True
    match parent_of(frame, node):
        case ast.Assign(targets=[ast.Name(id=name)]) if frame.function is not None:
            return any(_tested(frame.function, read) for read in reads(frame.function, name))
        case _:
            return False


def _tested(whole: ast.AST | None, node: ast.AST) -> bool:
    """Return whether a node of a tree is part of a comparison or of a condition."""
    for part in () if whole is None else walk(whole):
        match part:
            case ast.Compare():
                tested: ast.AST = part
            case ast.If(test=test) | ast.IfExp(test=test) | ast.While(test=test) | ast.Assert(test=test):
                tested = test
            case _:
                continue
        if holds(tested, node):
            return True
    return False
