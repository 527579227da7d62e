"""`%=` changes an array in place, and only there.

An array takes `%=` in place: the input of the block, and every other name of the array, change with it. A Symbol
knows no `%=`, so that Python binds the name anew, and nothing is raised.

Measured:

    z = x * 3
    w = z
    z %= 2
    return w

    >>> x = [1, 2, 3]
    >>> eager(x)
    [1, 0, 1]
    >>> hybridized(x)
    [3, 6, 9]

Bad:

    z = x * 3
    z %= 2  # HYB303
    return z

Good:

    z = x * 3
    z = z % 2
    return z
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.events import InPlace
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.describe import describe_expression
from hybridlint.fixers.arithmetic.python_operators import out_of_place
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB303", summary="in-place modulo on a tensor")


@rule.on(InPlace)
def check(event: InPlace) -> Iterator[Finding]:
    """Report ``x %= y``: an eager run changes the array, with its aliases and inputs; a hybridized run does not."""
    if event.symbol != "%=" or not isinstance(event.target, Tensor):
        return
    target = event.node.target  # type: ignore[attr-defined]
    yield rule.at(
        event.node,
        f"{describe_expression(event.frame, target, event.target)}: `%=` changes the array and all its names eagerly, "
        "and only this name once hybridized",
        fix=out_of_place(event),
        help="Bind the name to the result of `%`.",
    )
