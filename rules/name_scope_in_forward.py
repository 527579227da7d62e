"""A name scope is opened in `hybrid_forward`.

`with self.name_scope()` belongs in `__init__`, where it names children and parameters. While a block is traced its
scope is open already: closing it a second time raises AttributeError.

Bad:

    with self.name_scope():  # HYB607
        y = F.relu(x)
    return y

Good:

    y = F.relu(x)
    return y
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import ScopeEvent
from hybridlint.fixers.control.scopes import unwrap
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.records import replace
from hybridlint.text.edits import FixKind

rule = Rule(__name__, code="HYB607", summary="name scope in hybrid_forward")


@rule.on(ScopeEvent)
def check(event: ScopeEvent) -> Iterator[Finding]:
    """Report ``with self.name_scope()`` in traced code."""
    if event.name != "name_scope":
        return
    node: ast.AST = event.node.items[0].context_expr if isinstance(event.node, ast.With) else event.node
    fix = unwrap(event)
    yield rule.at(
        node,
        "the name scope of the block is open already while it is traced: entering it again raises",
        fix=None if fix is None else replace(fix, kind=FixKind.PART),
        help="Open name scopes in __init__ only.",
    )
