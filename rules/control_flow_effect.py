"""A function of a control flow operator changes Python state.

Eagerly, `F.contrib.foreach` and `while_loop` call their function once for each step, and `cond` calls one of its two.
Once hybridized, each function is traced, once: a list gets one element, a counter counts to one, and both branches of
`cond` leave their marks. Nothing is raised.

Measured:

    class Steps(HybridBlock):
        def hybrid_forward(self, F, x):
            seen = []

            def step(row, total):
                seen.append(row)
                return row + total, row + total

            rows, _ = F.contrib.foreach(step, x, F.zeros((2,)))
            return rows * len(seen)

    >>> x = [[1, 2], [3, 4]]
    >>> eager(x)
    [[2, 4], [8, 12]]
    >>> hybridized(x)
    [[1, 2], [4, 6]]

Bad:

    seen = []

    def step(row, total):
        seen.append(row)  # HYB706
        return row + total, row + total

    rows, _ = F.contrib.foreach(step, x, F.zeros((3,)))
    return rows * len(seen)

Good:

    def step(row, state):
        return row + state[0], [row + state[0], state[1] + 1]

    rows, last = F.contrib.foreach(step, x, [F.zeros((3,)), F.zeros((1,))])
    return F.broadcast_mul(rows, last[1])
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.flow.reporting_names import only_counts
from hybridlint.analysis.model.events import SideEffect
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.syntax import walk

rule = Rule(__name__, code="HYB706", summary="Python state that a function of a control flow operator changes")


@rule.on(SideEffect)
def check(event: SideEffect) -> Iterator[Finding]:
    """Report changes that a control-flow body makes to objects that it did not create."""
    if event.body is None:
        return
    counts = event.kind in {"nonlocal", "append"} and event.target.isidentifier()
    idle = counts and only_counts(_outermost(event), event.target)
    often = "whichever branch is taken" if event.body == "cond" else "however many steps there are"
    yield rule.at(
        event.node,
        f"`{event.target}` changes only once, at the trace, {often}: the function of `{event.body}` does not run again",
        severity=Severity.INFO if idle else Severity.ERROR,
        help="Pass it on as a state, or compute it outside of the operator.",
    )


def _outermost(event: SideEffect) -> ast.AST:
    """Return the outermost function around the event, where the name lives that it changes."""
    functions = (n for n in walk(event.frame.source.tree) if isinstance(n, ast.FunctionDef))
    return next((n for n in functions if any(part is event.node for part in walk(n))), event.frame.source.tree)
