"""Something is printed in `hybrid_forward`.

Python runs once, at the trace, and prints a Symbol instead of numbers; later calls print nothing. To look at
values, call the block before `hybridize()`, or use a monitor. A warning is shown once for each place anyway, so one
that has no tensor in its text is not reported.

Bad:

    y = F.relu(x)
    print("relu", y)  # HYB701
    return y

Good:

    y = F.relu(x)
    return y
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from hybridlint.analysis.model.events import SideEffect
from hybridlint.analysis.model.values import (
    ClassRef,
    DataDependentValue,
    EagerTracePair,
    External,
    LibraryInstance,
    ModuleFile,
    Outputs,
    SelfRef,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.fixers.control.removals import without_effect
from hybridlint.fixers.evidence.harmless_code import is_harmless
from hybridlint.fixers.toolkit.names import parent_of
from hybridlint.rule import Finding, Rule, Severity
from hybridlint.text.syntax import each, walk

rule = Rule(__name__, code="HYB701", summary="print, which happens once", severity=Severity.WARNING)


@rule.on(SideEffect)
def check(event: SideEffect) -> Iterator[Finding]:
    """Report output to the terminal and to logs, which happens only at the trace."""
    if not event.reports or (event.kind == "warning" and not _holds_tensor(event)):
        return
    statement = event.frame.statement
    fix = None
    alone = isinstance(statement, ast.Expr) and statement.value is event.node
    plain = alone and not _shows_mode(event) and not _is_asked_for(event)
    if plain and isinstance(event.node, ast.Call) and is_harmless(event.frame, event.node.args):
        assert statement is not None
        fix = without_effect(event.frame, statement, f"Remove the call of {event.target}")
    yield rule.at(
        event.node,
        f"`{event.target}` runs once, at the trace, where tensors are Symbols without numbers",
        severity=Severity.WARNING if _shows_tensors(event) else Severity.INFO,
        fix=fix,
        help="Print values before hybridize(), or outside of the block.",
    )


def _is_asked_for(event: SideEffect) -> bool:
    """Return whether a setting decides about the output, such as ``if self.verbose:``; it would have no effect then."""
    frame = event.frame
    if frame.statement is None or frame.function is None:
        return False
    around = parent_of(frame, frame.statement, within=frame.function)
    if not isinstance(around, ast.If):
        return False
    return not isinstance(frame.seen.value(around.test), Tensor | Outputs | DataDependentValue | EagerTracePair)


def _shows_mode(event: SideEffect) -> bool:
    """Return whether the function prints F: such code demonstrates hybridize, and its output is its purpose."""
    calls = each(event.frame.function, ast.Call) if event.frame.function is not None else ()
    prints = (call for call in calls if isinstance(call.func, ast.Name) and call.func.id == "print")
    printed = (arg.id for call in prints for arg in call.args if isinstance(arg, ast.Name))
    return any(name == event.frame.functions for name in printed)


def _shows_tensors(event: SideEffect) -> bool:
    """Return whether something that is written may be a tensor, or computed from one: no mere texts and counters."""
    parts = walk(event.node) if isinstance(event.node, ast.Call) else ()
    return any(not _is_plain(event.frame.seen.value(part), part) for part in parts)


def _holds_tensor(event: SideEffect) -> bool:
    return any(isinstance(event.frame.seen.value(part), Tensor | Outputs) for part in walk(event.node))


def _is_plain(value: Value, node: ast.AST) -> bool:
    """Return whether an expression is no tensor, and names nothing that may have been computed from one."""
    if isinstance(node, ast.Name):
        return isinstance(value, StaticValue | SelfRef | ClassRef | External | ModuleFile | LibraryInstance)
    return not isinstance(value, Tensor | Outputs | DataDependentValue | EagerTracePair)
