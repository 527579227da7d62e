"""A random operator is left to choose its shape.

Without a shape, `F.random.uniform()` draws one number eagerly. In a graph the shape is inferred from where the
result is used: one number for each element. Nothing is raised.

Measured:

    return x * F.random.uniform(0.9, 1.1)

    >>> x = [1, 1, 1, 1]
    >>> len(set(eager(x)))
    1
    >>> len(set(hybridized(x)))
    4

Bad:

    # hybridlint: shapes(x=("N", 3))
    return x * F.random.uniform(0.9, 1.1)  # HYB509

Good:

    # hybridlint: shapes(x=("N", 3))
    return F.broadcast_mul(x, F.random.uniform(0.9, 1.1, shape=(1,)))
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.events import OpCall
from hybridlint.analysis.model.values import Outputs, Tensor, Unknown
from hybridlint.fixers.functions.one_mode import one_number
from hybridlint.rule import Finding, Rule
from hybridlint.runtime.facts.registry import Operator

rule = Rule(__name__, code="HYB509", summary="random operator without a shape")


@rule.on(OpCall)
def check(event: OpCall) -> Iterator[Finding]:
    """Report random functions called with numbers as parameters and without a shape."""
    if event.namespace.root != "F" or event.namespace.path not in {(), ("random",)} or not _draws(event.operator):
        return
    if {"shape", "size"} & event.arguments.keywords.keys() or len(event.arguments.nodes) > 2:
        # No draw of F takes `size`: it raises eagerly, too.
        return
    if event.name == "randn" and event.arguments.nodes:
        return
    values = [*event.arguments.values, *(v for k, v in event.arguments.keywords.items() if k not in {"ctx", "dtype"})]
    if any(isinstance(value, Tensor | Outputs | Unknown) for value in values):
        # Draws for each element of a tensor have its shape in both modes.
        return
    yield rule.at(
        event.node,
        f"{snippet(event.frame, event.node)} draws one number eagerly, and one for each element once hybridized",
        fix=one_number(event),
        help="Give the shape, or use the operator that ends in _like.",
    )


def _draws(operator: Operator | None) -> bool:
    """Whether an operator draws random numbers in a shape that a call may omit."""
    if operator is None or not operator.random or operator.inputs:
        return False
    return "shape" in operator.params and not operator.params["shape"].required
