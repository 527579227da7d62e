"""Reuse of helpers' calls: a call that equals an earlier one of the same block is not interpreted again.

Two calls are equal if their functions, the objects that these are methods of, and their surroundings are the same, and
their arguments differ only in the numbers that identify arrays. A rule reports each place once, so the events of the
first call represent those of all. The work for a block then grows with the number of different calls: helpers that call
helpers twice each, six deep, would be interpreted 64 times.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING

from hybridlint.analysis.model.values import SelfRef, Value
from hybridlint.analysis.run.call_summary import CallSummary
from hybridlint.analysis.run.effect_log import EffectLog
from hybridlint.analysis.run.numbering import Number, Numbering, UncomparableError, renumbering_of
from hybridlint.analysis.syntax.containers import fills
from hybridlint.runtime.facts.dims import moment
from hybridlint.runtime.facts.records import replace

if TYPE_CHECKING:
    from hybridlint.analysis.model.events import ArgumentsEvent
    from hybridlint.analysis.model.values import Function
    from hybridlint.analysis.run.activation import Activation
    from hybridlint.analysis.run.run import AnalysisRun

#: The steps of a block from which on calls are kept: most blocks take fewer, and have each call for itself.
LEAST_STEPS = 2_000
#: Most calls of one class that are kept for what its arguments are.
_MOST_CHILD_CALLS = 50


def summarized_call(
    act: Activation, inner: Activation, function: Function, args: ArgumentsEvent | None, go: Callable[[], Value]
) -> Value:
    """Return the result of a call from `act` with parameters bound in `inner`: of an equal call, or by `go`."""
    run = act.run
    if run.budget.steps < LEAST_STEPS:
        return go()
    numbering = Numbering(run.blocks.kept)
    key = _key(act, inner, function, args, numbering)
    if key is None:
        return go()
    given = numbering.numbers
    summary = next((call for call in run.reuse.summaries.get(key, ()) if _may_stand_for(run, call)), None)
    return _kept(inner, key, given, go) if summary is None else _again(inner, summary, given)


def _key(
    act: Activation, inner: Activation, function: Function, args: ArgumentsEvent | None, numbering: Numbering
) -> Hashable | None:
    """Return the cache key of a call, with the numbers of its arguments in `numbering`; None if uncacheable."""
    run, reporting = act.run, act.run.reporting
    known = args is not None and isinstance(function.node, ast.FunctionDef) and inner.parent is None
    if not known or args is None or run.reuse.changed or not _is_plain(act) or fills(function, args):
        return None
    try:
        names = tuple((name, _pattern(numbering, value)) for name, value in inner.flow.names.items())
        narrowed = tuple((name, _pattern(numbering, value)) for name, value in inner.flow.narrowed.items())
    except UncomparableError:
        return None
    flow = inner.flow.worlds, inner.flow.unsupported, inner.flow.unusual
    marks = reporting.quiet > 0, reporting.child > 0, reporting.tries, reporting.unrolled
    doubts = reporting.doubts > 0, reporting.rewritten > 0
    around = tuple(run.surroundings.scopes), inner.role.body
    state = frozenset(run.trail.state_read), frozenset(run.trail.state_stored)
    from_file = any(site.source is run.module.source for site in inner.place.calls)
    place = inner.owner, inner.module, inner.mode, from_file
    return function.node, place, flow, marks, doubts, around, state, names, narrowed


def _is_plain(act: Activation) -> bool:
    """Return whether nobody looks at the single events or stores of the code at this position."""
    blocks = act.run.blocks
    asked = blocks.around, blocks.stored, blocks.attached, blocks.lost_names, act.run.surroundings.stacked
    return not act.role.building and not act.run.reporting.attempts and all(one is None for one in asked)


def _pattern(numbering: Numbering, value: Value) -> Hashable:
    return (SelfRef, id(value.instance)) if isinstance(value, SelfRef) else numbering.pattern(value)


def _may_stand_for(run: AnalysisRun, call: CallSummary) -> bool:
    """Return whether a kept call would do here what it did: it met no limit then, and meets none now."""
    precise = run.budget.busy or not call.busy
    return precise and run.reaches(call.depth) and call.trail.functions.isdisjoint(run.surroundings.stack)


def _kept(inner: Activation, key: Hashable, given: tuple[Number, ...], go: Callable[[], Value]) -> Value:
    """Interpret a call with `go`, and keep what it did if an equal call would do the same."""
    run = inner.run
    outer = run.trail
    run.trail = EffectLog(state_read=set(outer.state_read), state_stored=set(outer.state_stored))
    asked, run.blocks.asked = run.blocks.asked, {}
    tokens, refused, since = run.tokens, run.budget.refused, moment()
    busy, changes = run.budget.busy, len(run.blocks.parts.changes)
    result = go()
    trail, run.trail = run.trail, outer
    _follow(outer, trail)
    infos, run.blocks.asked = tuple(run.blocks.asked), asked | run.blocks.asked
    same = (refused, changes) == (run.budget.refused, len(run.blocks.parts.changes))
    if not same or run.budget.exhausted or run.reuse.changed:
        return result
    attributes = {name: value for name, value in inner.flow.names.items() if name.startswith("self.")}
    calls = {info: _different(values) for info, values in trail.child_calls.items()}
    if _are_comparable((result, *attributes.values())) and all(each is not None for each in calls.values()):
        few = replace(trail, child_calls={info: each for info, each in calls.items() if each is not None})
        depth = trail.depth - len(run.surroundings.stack)
        made = tokens, run.tokens - tokens, since, busy, depth
        summary = CallSummary(given, *made, result, attributes, inner.flow.unsupported, few, infos)
        run.reuse.summaries.setdefault(key, []).append(summary)
    return result


def _are_comparable(values: Iterable[Value]) -> bool:
    try:
        for value in values:
            Numbering().pattern(value)
    except UncomparableError:
        return False
    return True


def _different(calls: Iterable[tuple[Value, ...]]) -> list[tuple[Value, ...]] | None:
    """Return the calls of a child that differ in more than numbers, None if they cannot be compared."""
    found: dict[Hashable, tuple[Value, ...]] = {}
    try:
        for values in calls:
            numbering = Numbering()
            found.setdefault(tuple(map(numbering.pattern, values)), values)
    except UncomparableError:
        return None
    return list(found.values())


def _again(inner: Activation, call: CallSummary, given: tuple[Number, ...]) -> Value:
    """Return the result of a kept call for arguments with the numbers `given`, and apply its side effects."""
    run = inner.run
    renumbered = renumbering_of(call, given, run.blocks.kept, run.tokens).renumbered
    run.tokens += call.taken
    run.budget.steps += 1
    run.blocks.asked |= dict.fromkeys(call.asked)
    known, trail = run.trail.child_calls, call.trail
    calls = {
        info: [tuple(map(renumbered, values)) for values in lists]
        for info, lists in trail.child_calls.items()
        if len(known.get(info, ())) < _MOST_CHILD_CALLS
    }
    met = set(map(id, run.trail.mismatches))
    mismatches = [event for event in trail.mismatches if id(event) not in met]
    depth = len(run.surroundings.stack) + call.depth
    _follow(run.trail, replace(trail, child_calls=calls, mismatches=mismatches, depth=depth))
    inner.flow.names |= {name: renumbered(value) for name, value in call.attributes.items()}
    inner.flow.unsupported = call.unsupported
    return renumbered(call.result)


def _follow(trail: EffectLog, later: EffectLog) -> None:
    """Add the side effects of a call that began with the state of a trail."""
    trail.follow(later)
    trail.state_read, trail.state_stored = set(later.state_read), set(later.state_stored)
