"""An assertion on the data of a tensor.

`assert` asks a tensor for its truth value, and a Symbol raises NotImplementedForSymbol. Check the data outside of
`hybrid_forward`.

Bad:

    assert x.min() > 0  # HYB403
    return F.log(x)

Good:

    return F.log(x)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.describe import kind, snippet
from hybridlint.analysis.events import Branch
from hybridlint.analysis.values import Concrete
from hybridlint.edits import Applicability
from hybridlint.fixers.text import delete_statement
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB403", summary="assert on the data of a tensor")


@rule.on(Branch)
def check(event: Branch) -> Iterator[Finding]:
    """Report assertions."""
    if event.kind != "assert" or isinstance(event.value, Concrete):
        return
    statement = event.node if isinstance(event.node, ast.Assert) else event.frame.statement
    fix = None
    if isinstance(statement, ast.Assert):
        fix = delete_statement(event.frame, statement, "Remove the assertion", Applicability.UNSAFE)
    yield rule.at(
        event.condition,
        f"the assertion asks {snippet(event.frame, event.condition)}, {kind(event.value)}, for a truth value, "
        "which a Symbol has not",
        fix=fix,
        help="Check the data outside of hybrid_forward.",
    )
