"""Loops: interpreted to a fixed point for an arbitrary iteration, then iteration by iteration if there are few."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from dataclasses import field
from typing import TypeAlias

from hybridlint.analysis.dataflow.loop_carried import carried_names
from hybridlint.analysis.dispatch import evaluate, execute, statement
from hybridlint.analysis.flow.iterators import emit_iteration
from hybridlint.analysis.model.values import StaticValue, Value
from hybridlint.analysis.run.activation import Activation
from hybridlint.analysis.run.flow import StatementFlow, merge
from hybridlint.analysis.syntax.assignment import assign
from hybridlint.analysis.syntax.conditions import evaluate_condition
from hybridlint.analysis.syntax.iteration import iterate, steps
from hybridlint.analysis.syntax.unusual_branches import may_be_empty
from hybridlint.runtime.facts.records import record, replace
from hybridlint.text.syntax import walk

_Node: TypeAlias = ast.For | ast.While
_Start: TypeAlias = Callable[[], object]

_MOST_PASSES = 3
_GOING_THROUGH = frozenset({"range", "enumerate", "reversed", "zip"})
#: The deepest nesting of loops that are unrolled.
_MOST_DEEP = 2
#: The same while blocks are built: inner loops fill arguments, for which any step is representative.
_MOST_DEEP_BUILDING = 1


@record(frozen=True, slots=True)
class _Ends:
    """The flows at the end of one iteration: flows that continue the loop and flows that leave it."""

    after: StatementFlow
    broken: list[StatementFlow] = field(default_factory=list)


@statement(ast.For)
def for_loop(act: Activation, node: ast.For) -> None:
    """Interpret ``for``."""
    source = evaluate(act, node.iter)
    emit_iteration(act, node.iter, node.iter, source)
    each = iterate(act, source, node.iter, "iteration")

    def binds(value: Value) -> _Start:
        return lambda: assign(act, node.target, value, node)

    known = steps(source)
    if known is not None and _is_written(node.iter):
        known = tuple(replace(step, certain=True) if isinstance(step, StaticValue) else step for step in known)
    _loop(act, node, binds(each), None if known is None else [binds(step) for step in known])
    execute(act, node.orelse)


@statement(ast.While)
def while_loop(act: Activation, node: ast.While) -> None:
    """Interpret ``while``."""
    if isinstance(node.test, ast.Constant) and not node.test.value:
        execute(act, node.orelse)
        return
    _loop(act, node, lambda: evaluate_condition(act, node.test, "while", node), None)
    execute(act, node.orelse)


def _is_written(node: ast.expr) -> bool:
    """Return whether the iterable of a loop consists of constants: ``range(3)``, ``(1, 2)``, ``enumerate("ab")``."""
    return all(not isinstance(part, ast.Name) or part.id in _GOING_THROUGH for part in walk(node))


def _loop(act: Activation, node: _Node, start: _Start, known: list[_Start] | None) -> None:
    """Interpret a loop. `start` begins an arbitrary iteration; `known` begins each iteration in order.

    `known` is None if the iterations are not known.
    """
    body = node.body
    run, most = act.run, _MOST_DEEP_BUILDING if act.role.building else _MOST_DEEP
    stepwise = run.loops() < most and not run.budget.busy
    if run.reporting.quiet and stepwise and known is not None:
        # Without events to emit, only the flow after the known steps matters.
        with act.run.reporting.unrolling():
            act.flow = _unrolled(act, known, body)
        return
    before = act.flow.copy()
    leaves = _joined(act, node, start)
    if act.run.reporting.quiet or not stepwise or act.run.budget.busy:
        return
    act.flow = before
    with act.run.reporting.unrolling():
        exact = _unrolled(act, known if known is not None else [start, start], body)
    act.flow = exact if known is not None else leaves


def _joined(act: Activation, node: _Node, start: _Start) -> StatementFlow:
    """Interpret the body silently until the flow at its start is stable, then once more to emit events."""
    body, reads = node.body, carried_names(node)
    before = act.flow.copy()
    entry = before.copy()
    stable, taken = False, (may_be_empty(act, node), False)
    with act.run.reporting.silently():
        for _ in range(_MOST_PASSES):
            ends = _pass(act, entry.copy(), start, body)
            after = _out(ends)
            joined = merge(before, after, taken) if after.alive else before
            stable = _same(joined, entry, reads)
            entry = StatementFlow(
                joined.names, before.worlds, before.unsupported, joined.seeded, joined.narrowed, before.unusual
            )
            if stable:
                break
    if not (act.run.reporting.quiet and stable):
        ends = _pass(act, entry.copy(), start, body)
    after = _out(ends)
    if isinstance(node, ast.While) and isinstance(node.test, ast.Constant) and node.test.value:
        # Only a break leaves the loop.
        act.flow = _out(_Ends(StatementFlow(worlds=frozenset()), ends.broken))
    else:
        act.flow = merge(entry, after) if after.alive else entry
    if isinstance(node, ast.For) and after.alive:
        _begun(act.flow, before, after)
    return act.flow


def _begun(left: StatementFlow, before: StatementFlow, after: StatementFlow) -> None:
    """Bind names that are None before a loop to their values after it, assuming that the loop runs."""
    nothing = (name for name, value in before.names.items() if value == StaticValue(None))
    left.names |= {name: after.names[name] for name in nothing if name in after.names}


def _same(found: StatementFlow, known: StatementFlow, reads: frozenset[str]) -> bool:
    """Return whether an iteration starts like an earlier one: the names it reads and all attributes are unchanged."""
    changed = (name for name, value in found.names.items() if name not in known.names or known.names[name] != value)
    if any("." in name or name in reads for name in changed):
        return False
    return not found.narrowed or found.narrowed.items() <= known.narrowed.items()


def _unrolled(act: Activation, starts: Sequence[_Start], body: Sequence[ast.stmt]) -> StatementFlow:
    """Interpret the body once for each iteration, in order."""
    after = act.flow
    broken: list[StatementFlow] = []
    for start in starts:
        ends = _pass(act, after.copy(), start, body)
        after = ends.after
        broken += ends.broken
        if not after.alive:
            break
    return _out(_Ends(after, broken))


def _pass(act: Activation, entry: StatementFlow, start: _Start, body: Sequence[ast.stmt]) -> _Ends:
    outer = act.ends.breaks, act.ends.continues
    act.ends.breaks, act.ends.continues = [], []
    act.flow = entry
    start()
    execute(act, body)
    after = act.flow
    for flow in act.ends.continues:
        after = merge(after, flow)
    broken = act.ends.breaks
    act.ends.breaks, act.ends.continues = outer
    return _Ends(after, broken)


def _out(ends: _Ends) -> StatementFlow:
    after = ends.after
    for flow in ends.broken:
        after = merge(after, flow)
    return after
