"""A function of numpy or math is called on a tensor.

Functions of numpy and of `math` need data. Symbols have none: the call raises, or wraps the Symbol in an array of
objects, and `np.size`, `np.ndim` and `np.shape` silently answer for that array. In legacy mode numpy does not do
what one expects of an NDArray either.

Bad:

    return x * np.sqrt(x)  # HYB504

Good:

    return x * F.sqrt(x)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import ForeignCall
from hybridlint.fixers.functions.one_mode import from_numpy
from hybridlint.fixers.loops.iteration import size_operand
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB504", summary="numpy or math function on a tensor", needs_values=True)


@rule.on(ForeignCall)
def check(event: ForeignCall) -> Iterator[Finding]:
    """Report functions of numpy, scipy and math."""
    if event.function.partition(".")[0] not in {"numpy", "math", "cmath", "scipy"}:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: `{event.function}` needs data, and a Symbol has none",
        fix=size_operand(event) or from_numpy(event),
        help="Use the operator of F.",
    )
