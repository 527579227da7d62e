"""A function gets arguments that only its eager form takes.

Most functions of `F` are the same in both modes. Some are written in Python twice, and the form for Symbols takes
less: `F.maximum` and `F.minimum` call their arguments otherwise, `F.random.uniform` and its kin take no context by
position, and `F.np.where` wants all three arguments.

Bad:

    return F.maximum(lhs=x, rhs=y)  # HYB513

Good:

    return F.maximum(x, y)
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.fixers.functions.one_mode import by_position
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.surface import NARROWER, Narrower

rule = Rule(__name__, code="HYB513", summary="argument that only the eager form of a function takes")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report calls with arguments that the function takes in ``mx.nd`` and refuses in ``mx.sym``."""
    known = NARROWER.get((*event.namespace.path, event.name))
    if event.namespace.root != "F" or known is None:
        return
    wrong = _wrong(event, known)
    if wrong is None:
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)}: once hybridized, the function {wrong}",
        fix=by_position(event, known.order),
        help="Give the arguments that both forms take, by position.",
    )


def _wrong(event: OpCall, known: Narrower) -> str | None:
    given = event.arguments
    unknown = next((name for name in given.keywords if name in known.lacks), None)
    if unknown is not None:
        return f"has no parameter `{unknown}`"
    if len(given.values) != len(given.nodes):
        return None
    if known.positional is not None and len(given.values) > known.positional:
        return f"takes {known.positional} arguments by position"
    if len(given.values) + len(given.keywords) < known.required:
        return f"wants {known.required} arguments"
    return None
