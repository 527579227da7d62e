"""A tensor is spread over arguments.

`f(*x)` passes the rows of an array. A Symbol yields its one output, the whole tensor, and nothing is raised.

Measured:

    return F.add_n(*x)

    >>> x = [[1, 2], [3, 4]]
    >>> eager(x)
    [4, 6]
    >>> hybridized(x)
    [[1, 2], [3, 4]]

Bad:

    # hybridlint: shapes(x=(3, 4))
    return F.add_n(*x)  # HYB209

Good:

    # hybridlint: shapes(x=(3, 4))
    return F.add_n(*F.split(x, num_outputs=3, axis=0, squeeze_axis=True))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.values import Tensor
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.blocks.staying_eager import keep_eager
from hybridlint.fixers.loops.star_arguments import without_star
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB209", summary="star on a tensor")


@rule.on(Concretize)
def check(event: Concretize) -> Iterator[Finding]:
    """Report ``*x`` on a tensor, in calls and in list or tuple displays."""
    if event.how != "star" or not isinstance(event.value, Tensor):
        return
    yield rule.at(
        event.node,
        f"`*` spreads {snippet(event.frame, event.node)}, {kind(event.value)}, over rows eagerly, and is one "
        "value once hybridized",
        fix=without_star(event),
        otherwise=lambda: keep_eager(event),
        help="Split it: `*F.split(x, num_outputs=n, axis=0, squeeze_axis=True)`.",
    )
