"""`and`, `or` or `not` on a tensor.

The boolean operators of Python ask for a truth value, and a Symbol raises NotImplementedForSymbol. The logical
operators of F work element by element.

Bad:

    positive = not x.sum()  # HYB404
    return x if positive is None else x * 2

Good:

    return F.broadcast_mul(x, F.logical_not(x.sum()) + 1)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Branch
from hybridlint.analysis.model.values import DataDependentValue
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.control.conditions import logical
from hybridlint.fixers.control.preparatory import last_resort
from hybridlint.fixers.loops.bounded_loops import all_rounds
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB404", summary="and, or, not on a tensor", needs_values=True)


@rule.on(Branch)
def check(event: Branch) -> Iterator[Finding]:
    """Report ``and``, ``or`` and ``not`` on a tensor."""
    if event.kind not in {"and", "or", "not"} or isinstance(event.value, DataDependentValue):
        return
    condition = snippet(event.frame, event.condition)
    called = event.condition is event.node and isinstance(event.node, ast.Call)
    asks = (
        f"{condition} asks {kind(event.value)}" if called else f"`{event.kind}` asks {condition}, {kind(event.value)},"
    )
    yield rule.at(
        event.node,
        f"{asks} for a truth value, which a Symbol does not have",
        fix=all_rounds(event) or logical(event) or last_resort(event.frame),
        otherwise=lambda: keep_eager(event),
        help="Use F.broadcast_logical_and, F.broadcast_logical_or or F.logical_not.",
    )
