"""A tensor is searched, with `in` or by a list's methods.

`y in [a, b]` compares by value, and `v in x` iterates: both need the truth value of a comparison, which a Symbol
refuses. So do `index`, `count` and `remove` of a list, and `[x] == [y]`. What is the same object is not compared.

Bad:

    if x in [y, y * 2]:  # HYB405
        return x * 2
    return x * 3

Good:

    return x * 3
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Branch
from hybridlint.analysis.model.values import DataDependentValue
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB405", summary="`in` with a tensor", needs_values=True)


@rule.on(Branch)
def check(event: Branch) -> Iterator[Finding]:
    """Report membership tests that compare tensors by value."""
    if event.kind != "in" or isinstance(event.value, DataDependentValue):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.condition)} compares {kind(event.value)} by value, which a Symbol refuses",
        help="Compare with `is`, or with an operator and a reduction.",
    )
