"""``try``: code that raises only at the trace leads the hybridized block into the handler."""

from __future__ import annotations

import ast

from hybridlint.analysis import semantics
from hybridlint.analysis.dataflow.scopes import names_in
from hybridlint.analysis.dispatch import execute, statement
from hybridlint.analysis.flow.guards import sides_differ
from hybridlint.analysis.flow.guessed_sizes import bound_expression, is_guessed_size, returns_guess, serves
from hybridlint.analysis.flow.sized_choices import place_sizes
from hybridlint.analysis.model.events import (
    Branch,
    Concretize,
    Event,
    GuardEvent,
    MethodCall,
    MissingName,
    SideEffect,
)
from hybridlint.analysis.model.values import (
    STATIC_UNKNOWN,
    DataDependentValue,
    NumpyArray,
    StaticValue,
    Tensor,
    Value,
)
from hybridlint.analysis.run.activation import Activation
from hybridlint.analysis.run.flow import StatementFlow, merge
from hybridlint.runtime.facts.records import record
from hybridlint.runtime.facts.surface import World
from hybridlint.text.syntax import walk

_ABSENCE = frozenset({"AttributeError"})
_ANYTHING = frozenset({"Exception", "BaseException"})
#: Special codes in the shape argument of reshape, which represent inferred or copied sizes.
_CODES = (0, -1, -2, -3, -4)


@record(frozen=True, slots=True)
class _Failure:
    """The first event in a ``try`` that raises at the trace, and the handler that catches it."""

    index: int
    event: Event
    handler: ast.ExceptHandler


@statement(ast.Try)
def attempt(act: Activation, node: ast.Try) -> None:
    """Interpret ``try``.

    If the trace is known to fail, only eager runs continue the body, and only the trace enters the handler.
    """
    before, worlds = act.flow.copy(), act.flow.worlds
    emitted, returned = len(act.run.events), len(act.ends.returns)
    act.run.reporting.attempts += 1
    execute(act, node.body)
    act.run.reporting.attempts -= 1
    after = act.flow
    absent = _catches_absence(act, emitted, node)
    failure = None if absent else _failure(act.run.events, emitted, node)
    if failure is not None:
        act.run.events[failure.index :] = filter(_is_left, act.run.events[failure.index :])
        after.worlds &= {"eager"}
        act.ends.returns[returned:] = [(n, value, w & {"eager"}) for n, value, w in act.ends.returns[returned:]]
    ends = []
    for handler in node.handlers:
        act.flow = merge(before.copy(), _in_runs(after, worlds))
        if failure is not None:
            act.flow = before.copy()
            act.flow.worlds = worlds & {"traced" if handler is failure.handler else "eager"}
        if handler.name:
            act.flow.names[handler.name] = StaticValue(STATIC_UNKNOWN)
        # Without a known failure the handler may never run.
        doubtful = failure is None and handler is not absent
        act.run.reporting.doubts += doubtful
        execute(act, handler.body)
        act.run.reporting.doubts -= doubtful
        ends.append(act.flow)
    if failure is not None:
        act.flow = before.copy()
        flows = (before, after, ends[node.handlers.index(failure.handler)])
        differs = _differs(act, node, failure, flows)
        guess = not differs and _guesses(act, node, failure, flows)
        place, frame = failure.event.node, failure.event.frame
        act.run.events.append(
            GuardEvent(place, frame, frame.source.code(place), differs=differs or guess, raises=True, guess=guess)
        )
    act.flow = after
    execute(act, node.orelse)
    act.ends.excepted = act.ends.excepted or (failure is None and not act.flow.alive)
    for end in ends:
        act.flow = merge(act.flow, end)
    if failure is not None:
        place_sizes(act, before.names, node, failure.event.frame.statement)
    _finally(act, node, _in_runs(after, worlds))


def _catches_absence(act: Activation, start: int, node: ast.Try) -> ast.ExceptHandler | None:
    """Return the handler that catches a name which MXNet lacks in either run, and drop the report of the name."""
    handler = next((one for one in node.handlers if _catches(one, _ABSENCE)), None)
    missing = [event for event in act.run.events[start:] if isinstance(event, MissingName)]
    if handler is None or not missing:
        return None
    act.run.events[start:] = [event for event in act.run.events[start:] if event not in missing]
    return handler


def _in_runs(flow: StatementFlow, worlds: frozenset[World]) -> StatementFlow:
    """Return a copy of a flow that only the given runs reach."""
    return StatementFlow(dict(flow.names), worlds, False, flow.seeded, dict(flow.narrowed), flow.unusual)


def _is_left(event: Event) -> bool:
    """Return whether to keep an event of eager-only code: a side effect other than a print or log."""
    return isinstance(event, SideEffect) and not event.reports


def _finally(act: Activation, node: ast.Try, passing: StatementFlow) -> None:
    ended = not act.flow.alive
    if ended:
        act.flow = passing
    execute(act, node.finalbody)
    if ended:
        act.flow.end()


def _failure(events: list[Event], start: int, node: ast.Try) -> _Failure | None:
    for index in range(start, len(events)):
        raised = semantics.library.raised(events[index])
        handler = next((h for h in node.handlers if raised and _catches(h, raised)), None)
        if handler is not None:
            return _Failure(index, events[index], handler)
    return None


def _catches(handler: ast.ExceptHandler, raised: frozenset[str]) -> bool:
    if isinstance(handler.body[-1], ast.Raise):
        return False
    if handler.type is None:
        return True
    classes = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {n.attr if isinstance(n, ast.Attribute) else getattr(n, "id", "") for n in classes}
    return bool(names & (raised | _ANYTHING))


def _differs(
    act: Activation, node: ast.Try, failure: _Failure, flows: tuple[StatementFlow, StatementFlow, StatementFlow]
) -> bool:
    """Return whether the body and the handler of a ``try`` provably compute different results.

    `flows` are the flows before the ``try``, at the end of its body and at the end of the handler.
    """
    before, eager, traced = flows
    body, handler = node.body, failure.handler.body
    if _continues_differently(act, node, handler):
        return True
    if sides_differ(act, body, handler) or _chosen_by_data(failure.event, body, handler):
        return True
    return any(
        _made_up(act, failure.event, eager.names[name], traced.names.get(name)) for name in _changed(before, eager)
    )


def _guesses(
    act: Activation, node: ast.Try, failure: _Failure, flows: tuple[StatementFlow, StatementFlow, StatementFlow]
) -> bool:
    """Return whether the handler puts a setting in place of a size that the body reads."""
    before, eager, traced = flows
    return returns_guess(act, node.body, failure.handler.body) or any(
        is_guessed_size(act, eager.names[name], traced.names.get(name), bound_expression(failure.handler.body, name))
        and serves(act, node, name)
        for name in _changed(before, eager)
    )


def _changed(before: StatementFlow, after: StatementFlow) -> list[str]:
    """Return the names whose values are others after some code."""
    return [name for name, value in after.names.items() if value != before.names.get(name)]


def _continues_differently(act: Activation, node: ast.Try, handler: list[ast.stmt]) -> bool:
    """Return whether the code after the body, which only eager runs reach, computes another result than the handler.

    Such code stands in ``else``, or after the ``try`` if the handler returns. If it reads names bound in the body, it
    is assumed to be another way to write what the handler does.
    """
    ends = isinstance(handler[-1], ast.Return)
    rest = node.orelse or (act.place.block[act.place.block.index(node) + 1 :] if ends else [])
    names = names_in(*rest)
    fresh = names_in(*node.body).stores.keys().isdisjoint({*names.reads, *names.stores})
    return bool(rest) and fresh and sides_differ(act, handler, rest)


def _made_up(act: Activation, event: Event, eager: Value, traced: Value | None) -> bool:
    """Return whether the handler replaces a value read from an array by a number, or lets gradients pass again."""
    if isinstance(eager, Tensor) and isinstance(traced, Tensor) and traced.flows and not eager.flows:
        return True
    if not isinstance(traced, StaticValue) or not isinstance(traced.value, int | float):
        return False
    if isinstance(eager, DataDependentValue):
        return eager.reason not in act.run.project.dialect.layout or traced.value not in _CODES
    reads = isinstance(event, Concretize) or (
        isinstance(event, MethodCall) and event.name in act.run.project.dialect.readers
    )
    return reads and isinstance(eager, NumpyArray | StaticValue)


def _chosen_by_data(event: Event, body: list[ast.stmt], handler: list[ast.stmt]) -> bool:
    """Return whether the body chooses a result by an array's data while the handler always computes the same one."""
    if not isinstance(event, Branch):
        return False
    chooses = any(isinstance(n, ast.Return | ast.Assign | ast.AugAssign) for part in body for n in walk(part))
    asks = any(isinstance(n, ast.Call | ast.Compare) for part in handler for n in walk(part))
    return chooses and not asks
