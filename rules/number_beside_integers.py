"""Integers or booleans beside a Python number in numpy mode.

An array of integers stays one: `mask * 0.5` cuts the number off, and is all zeros. Its Symbol becomes float64, and so
it does for a number on the left, as in `1 - mask`, and for `-mask`. Functions of `F.np` do as the operators, and arrays
are compared with the number cut off. Nothing is raised.

Measured:

    mx.npx.set_np()

    class Scale(HybridBlock):
        def hybrid_forward(self, F, x):
            return x * ((x > 0) * 0.5)

    >>> x = [-2, 1, 4]
    >>> eager(x)
    [0, 0, 0]
    >>> hybridized(x)
    [0, 0.5, 2]

Bad:

    mx.npx.set_np()

    class Scale(HybridBlock):
        def hybrid_forward(self, F, x):
            return x + 2 * (x > 0)  # HYB306

Good:

    mx.npx.set_np()

    class Scale(HybridBlock):
        def hybrid_forward(self, F, x):
            return x + (x > 0) * 2
"""

from __future__ import annotations

from collections.abc import Iterator

from hybridlint.analysis.model.describe import snippet
from hybridlint.analysis.model.dtypes import is_integral, number_changes_function, number_changes_result
from hybridlint.analysis.model.events import Binary, CodeContext, Negation, OpCall
from hybridlint.analysis.model.values import Namespace
from hybridlint.fixers.arithmetic.integers import negate_tensor, number_last
from hybridlint.rule import Finding, Rule
from hybridlint.text.edits import Fix

rule = Rule(__name__, code="HYB306", summary="integers combined with a number in numpy mode")


@rule.on(Binary)
def check_operator(event: Binary) -> Iterator[Finding]:
    """Report operators and comparisons of integers with a number."""
    if number_changes_result(event.symbol, event.left, event.right):
        yield _finding(event.frame, event, number_last(event))


@rule.on(OpCall)
def check_function(event: OpCall) -> Iterator[Finding]:
    """Report functions of F.np that get integers and a number."""
    if event.namespace == Namespace("F", ("np",)) and number_changes_function(event.name, event.arguments):
        yield _finding(event.frame, event, None)


@rule.on(Negation)
def check_negation(event: Negation) -> Iterator[Finding]:
    """Report ``-x`` on integers: a Symbol multiplies them by -1.0."""
    if is_integral(event.value):
        yield _finding(event.frame, event, negate_tensor(event))


def _finding(frame: CodeContext, event: Binary | OpCall | Negation, fix: Fix | None) -> Finding:
    return rule.at(
        event.node,
        f"{snippet(frame, event.node)} stays an array of integers eagerly, and is float64 once hybridized",
        fix=fix,
        help='Make floats of the integers first: `.astype("float32")`.',
    )
