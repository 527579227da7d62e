"""A tensor is unpacked.

`a, b = x` takes the rows of an array. A Symbol has one output: the number of names does not match and the block
raises, or, with one name or a star, the name silently gets the whole tensor.

Measured:

    first, *rest = x
    return first

    >>> x = [[1, 2], [3, 4]]
    >>> eager(x)
    [1, 2]
    >>> hybridized(x)
    [[1, 2], [3, 4]]

Bad:

    # hybridlint: shapes(x=(2, 3))
    a, b = x  # HYB208
    return a + b

Good:

    # hybridlint: shapes(x=(2, 3))
    a, b = F.split(x, num_outputs=2, axis=0, squeeze_axis=True)
    return a + b
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import Concretize
from hybridlint.analysis.model.values import Outputs, Tensor
from hybridlint.analysis.mxnet.describe import kind
from hybridlint.fixers.control.removals import without_unused
from hybridlint.fixers.loops.iteration import unpack
from hybridlint.rule import Finding, Rule

rule = Rule(__name__, code="HYB208", summary="unpacking of a tensor")


@rule.on(Concretize)
def check(event: Concretize) -> Iterator[Finding]:
    """Report assignments that unpack a tensor, ``a, b = x``."""
    if event.how != "unpacking" or not isinstance(event.value, Tensor | Outputs):
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} unpacks {kind(event.value)}; a Symbol is one output and has no "
        "rows to unpack",
        fix=without_unused(event) or unpack(event),
        help="Split it: `F.split(x, num_outputs=n, axis=0, squeeze_axis=True)`.",
    )
