"""A later output of an operator is used, but its first output is not.

`F.moments`, `F.np.linalg.eigh`, and `F.LayerNorm`, `F.GroupNorm` and `F.npx.layer_norm` with `output_mean_var=True`,
fill their other outputs on the way to the first. Where no part of a graph needs the first, memory that nothing has
written to is returned. Nothing is raised.

Measured:

    return F.moments(x, axes=(0, 1))[1]

    >>> x = [[1, 2, 3], [4, 5, 7]]
    >>> eager(x)
    [3.889]
    >>> hybridized(x) == eager(x)
    False

Bad:

    return F.LayerNorm(x, gamma, beta, output_mean_var=True)[1]  # HYB213

Good:

    return F.mean(x, axis=-1, keepdims=True)
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.analysis.model.values import ContainerValue, Outputs
from hybridlint.fixers.indexing.keys import literal
from hybridlint.fixers.toolkit.names import only_subscripts, parent_of
from hybridlint.rule import Finding, Rule
from hybridlint.text.syntax import reads

rule = Rule(__name__, code="HYB213", summary="later output used without the first")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report calls of several outputs of which the code uses others and not the first."""
    if event.namespace.root != "F" or event.operator is None or not event.operator.facts.written_beside_first:
        return
    place = _taken(event, _indices(event))
    if place is not None:
        yield rule.at(
            place,
            f"{snippet(event.frame, place)} is never written once hybridized: the operator computes it with its "
            "first output, which nothing uses",
            help="Compute it by itself, as F.mean of the input, or let the graph use the first output too.",
        )


def _indices(event: OpCall) -> range:
    """Return the indices that select an output of the call; legacy Symbols accept no negative ones."""
    result = event.result
    known = (
        result.types if isinstance(result, Outputs) else result.items if isinstance(result, ContainerValue) else None
    )
    count = len(known or ())
    return range(-count if event.frame.mode == "np" else 0, count)


def _taken(event: OpCall, indices: range) -> ast.AST | None:
    """Return the node that takes outputs but not the first; the call itself if names are bound to all outputs."""
    function, parent = event.frame.function, parent_of(event.frame, event.node)
    match parent:
        case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=first), *_])]) if function is not None:
            return None if any(reads(function, first)) or not indices else event.node
    taken = only_subscripts(event.frame, event.node)
    if not taken or not all(_leaves_first(part.slice, indices) for part in taken):
        return None
    return parent if taken == [parent] else event.node


def _leaves_first(key: ast.expr, indices: range) -> bool:
    """Whether a literal key selects some of the outputs, and not the first."""
    number = literal(key.lower if isinstance(key, ast.Slice) else key)
    if number not in indices or (isinstance(key, ast.Slice) and key.step is not None):
        return False
    return 0 not in range(indices.stop)[number:]
