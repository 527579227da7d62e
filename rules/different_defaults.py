"""A function whose defaults differ between the modes.

`F.random.multinomial` returns the samples eagerly; at the trace `get_prob` defaults to True, and there are two
outputs. `F.np.random.rayleigh` scales by 1 eagerly and by 0 at the trace. Give the argument, and both do the same.

Bad:

    return F.random.multinomial(x, shape=4)  # HYB510

Good:

    return F.random.multinomial(x, shape=4, get_prob=False)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.fixers.functions.one_mode import add_keyword
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB510", summary="argument whose default differs between the modes")

#: Path and name of a function -> the parameter, its place among the arguments, and what it is eagerly.
_DEFAULTS = {
    ("random", "multinomial"): ("get_prob", 2, False),
    ("np", "random", "rayleigh"): ("scale", 0, 1.0),
}


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report calls that omit an argument whose default differs between ``mx.nd`` and ``mx.sym``."""
    default = _DEFAULTS.get((*event.namespace.path, event.name))
    if event.namespace.root != "F" or default is None:
        return
    parameter, place, value = default
    if parameter in event.arguments.keywords or len(event.arguments.nodes) > place:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: the default of `{parameter}` is {value} eagerly and another "
        "once hybridized",
        fix=add_keyword(event, parameter, value),
        help=f"Write `{parameter}={value}`.",
    )
