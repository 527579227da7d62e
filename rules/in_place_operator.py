"""A tensor is changed in place.

`+=`, `-=`, `*=` and `/=` write into an array, and every name of that array sees it. A Symbol raises
NotImplementedForSymbol. Bind the name anew, and where another name means the same array, bind that one too.

Bad:

    y = x * 2
    y += 1  # HYB302
    return y

Good:

    y = x * 2
    y = y + 1
    return y
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import InPlace
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.arithmetic.python_operators import out_of_place
from hybridlint.fixers.arithmetic.running_sums import running_sum
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB302", summary="in-place operator on a tensor")

_RAISING = frozenset({"+=", "-=", "*=", "/=", "@=", "&=", "|=", "^=", "<<=", ">>="})


@rule.on(InPlace)
def check(event: InPlace) -> Iterator[Finding]:
    """Report the in-place operators that a Symbol refuses."""
    if event.symbol not in _RAISING or not isinstance(event.target, Tensor | Outputs):
        return
    target = event.node.target  # type: ignore[attr-defined]
    shared = sorted(event.frame.aliases - {event.frame.source.code(target)})
    also = f", and `{'`, `'.join(shared)}` changes with it eagerly" if shared else ""
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, target, event.target)}: `{event.symbol}` raises on a Symbol{also}",
        fix=out_of_place(event) or running_sum(event),
        help="Bind the name to the result of the operator.",
    )
