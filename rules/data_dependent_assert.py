"""An assertion on the data of a tensor.

`assert` asks a tensor for its truth value, and a Symbol raises NotImplementedForSymbol. Check the data in eager runs
alone, or outside of `hybrid_forward`.

Bad:

    assert x.min() > 0  # HYB403
    return F.log(x)

Good:

    if F is mx.nd:
        assert x.min() > 0
    return F.log(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Branch
from hybridlint.analysis.model.values import DataDependentValue
from hybridlint.fixers.control.guards import eager_only
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB403", summary="assert on the data of a tensor", needs_values=True)


@rule.on(Branch)
def check(event: Branch) -> Iterator[Finding]:
    """Report ``assert`` statements whose condition depends on the data of a tensor."""
    if event.kind != "assert" or isinstance(event.value, DataDependentValue):
        return
    yield rule.at(
        event.condition,
        f"`assert` on {snippet(event.frame, event.condition)} raises once hybridized: a Symbol has no truth value",
        fix=eager_only(event.frame),
        help="Check the data only in eager runs, under `if F is mx.nd`, or outside of hybrid_forward.",
    )
