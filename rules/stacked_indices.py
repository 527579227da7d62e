"""A function that gives a tuple of indices eagerly, and one array of them once hybridized.

`F.np.diag_indices_from` and `F.np.unravel_index` return a tuple with an array for each dimension. At the trace they
return one Symbol, whose rows these arrays are: they can be counted from the front, one by one. Unpacking, `len` and
loops raise, a slice is an array and no tuple, and what the block returns has another structure.

Bad:

    mx.npx.set_np()

    class Diagonal(HybridBlock):
        def hybrid_forward(self, F, x):
            rows, columns = F.np.diag_indices_from(x)  # HYB214
            return F.np.exp(x) * rows

Good:

    mx.npx.set_np()

    class Diagonal(HybridBlock):
        def hybrid_forward(self, F, x):
            return F.np.exp(x) * F.npx.arange_like(x, axis=0)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import only_subscripts
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.surface import is_stacked

rule = Rule(__name__, code="HYB214", summary="indices that are a tuple eagerly and one array once hybridized")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report functions that return a tuple of indices eagerly, and one array of them once hybridized."""
    if event.namespace.root == "F" and is_stacked(event.namespace.path, event.name) and not _rows_only(event):
        yield rule.at(
            event.node,
            f"{snippet(event.frame, event.node)} is a tuple eagerly, and one array of all indices once hybridized",
            help="Compute the indices with F.np functions that give one array.",
        )


def _rows_only(event: OpCall) -> bool:
    """Whether the code only reads single items of the result by index. That works on tuples and Symbols."""
    taken = only_subscripts(event.frame, event.node)
    rows = [literal(part.slice) for part in taken or ()]
    return taken is not None and all(row is not None and row >= 0 for row in rows)
